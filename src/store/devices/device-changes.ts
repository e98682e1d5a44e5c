import { type Engine, sql } from '../engine/engine.ts';
import { cursorAt, lowestUnread } from '../events/event-cursor.ts';

/** Events since a position are only searched for if it is younger than this, which is far below their lifetime. */
const MAX_POSITION_AGE_MS = 1_000;
/** Callers do not wait for a read that has taken longer than this, for example on a lost connection. */
const SLOW_READ_MS = 250;

/** A position in the event log, and whether an event that concerns device lists follows the previous position. */
interface Reading {
  position: string;
  changed: boolean;
}

/**
 * Detects changes to what device lists show: devices, and the groups that accounts can see. It reads the event log,
 * which triggers write in the transaction of each change, whichever process makes it.
 */
export class DeviceChanges {
  private readonly engine: Engine;
  private generation = 0;
  private last: { position: string; at: number } | null = null;
  /** The read that later callers join. It has not started yet. */
  private pending: Promise<number> | null = null;
  private running: { since: number; done: Promise<void> } | null = null;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** The generation that the last read found, or 0. */
  get lastKnown(): number {
    return this.generation;
  }

  /**
   * Reads the log and returns the generation, which is the same as at an earlier read only if nothing has changed in
   * between. The read starts after this call and so finds every change that was committed before it. Simultaneous
   * callers share one read. null: the log responds too slowly.
   */
  current(): Promise<number | null> {
    if (this.running && performance.now() - this.running.since > SLOW_READ_MS) return Promise.resolve(null);
    this.pending ??= this.schedule();
    return this.pending;
  }

  private async schedule(): Promise<number> {
    await (this.running?.done ?? new Promise((resolve) => setImmediate(resolve)));
    this.pending = null;
    const reading = this.read();
    const finish = () => {
      this.running = null;
    };
    this.running = { since: performance.now(), done: reading.then(finish, finish) };
    return reading;
  }

  private async read(): Promise<number> {
    const at = performance.now();
    const since = this.last && at - this.last.at < MAX_POSITION_AGE_MS ? this.last.position : null;
    const read = this.engine.dialect.supportsConcurrentWriters ? readByTransaction : readById;
    const { position, changed } = await read(this.engine, since);
    if (changed) this.generation += 1;
    this.last = { position, at };
    return this.generation;
  }
}

/** Events become visible in the order of their ids. SQLite keeps the highest id, even if the event was deleted. */
async function readById(engine: Engine, since: string | null): Promise<Reading> {
  const [row] = await engine.run(
    sql<{ seq: number }>`select seq from sqlite_sequence where name = ${'events'}`,
  );
  const position = String(row?.seq ?? 0);
  return { position, changed: position !== since };
}

/**
 * The position is a snapshot, as in `event-cursor.ts`, because transactions commit in a different order from the one in
 * which their numbers are allocated. The search is sorted so that the planner uses the primary key.
 */
async function readByTransaction(engine: Engine, since: string | null): Promise<Reading> {
  const from = since === null ? null : lowestUnread(cursorAt(since, null));
  const [row] = await engine.run(
    sql<{ seen: string; found: number | null }>`
      select now.seen, (
        select tx from events
        where tx >= ${from} and tx < now.next and not pg_visible_in_snapshot(tx::text::xid8, ${since}::pg_snapshot)
          and (kind = 'device' or subject = '')
        order by tx, id limit 1
      ) as found
      from (select pg_current_snapshot()::text as seen,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next) now`,
  );
  const { seen, found } = row!;
  return { position: seen, changed: since === null || found !== null };
}
