import { all, type Dialect, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { cursorAt, cursorText, type EventCursor, lowestUnread, parseCursor } from './event-cursor.ts';
import type { EventPage, LoggedEvent } from './event-log.ts';

interface EventColumns {
  tx: number;
  id: number;
  kind: 'device' | 'session';
  subject: string;
  account_id: string | null;
  group_id: string | null;
}

/**
 * One row for each event of the page, or a single row with null columns if there is none. `seen`: the position up to
 * which the log was visible to the query.
 */
type Row<Seen> = { seen: Seen; upto: number | null } & (EventColumns | { id: null });

export async function readEvents(engine: Engine, after: string | null, limit: number): Promise<EventPage> {
  const cursor = after === null ? null : parseCursor(after);
  const read = engine.dialect.supportsConcurrentWriters ? readByTransaction : readById;
  const page = await read(engine, cursor, limit);
  return after !== null && cursor === null ? { ...page, events: [], reset: true } : page;
}

/**
 * For a database with one writer at a time, where events become visible in the order of their ids. A cursor is valid
 * when no later event has been deleted and it is not ahead of the log.
 */
async function readById(engine: Engine, cursor: EventCursor | null, limit: number): Promise<EventPage> {
  const rows = await engine.run(
    sql<Row<number | null>>`
      select (select max(id) from events) as seen, (select upto from events_trimmed) as upto, e.*, 0 as tx
      from (select 1) left join (
        select * from events where id > ${cursor?.id ?? Number.MAX_SAFE_INTEGER} order by id limit ${limit}
      ) e on true order by e.id`,
  );
  const upto = rows[0]?.upto ?? 0;
  const now = { tx: 0, id: Math.max(rows[0]?.seen ?? 0, upto), running: [] };
  const isKnown = cursor === null || (cursor.tx === 0 && cursor.id >= upto && cursor.id <= now.id);
  return eventPageOf(rows, { isKnown, limit, cursor: (last) => (last ? { ...now, id: last.id } : now) });
}

/**
 * For a database with concurrent writers. Reads the events of transactions that had not ended when the cursor was
 * taken. An event whose transaction number is higher than any that this server has started comes from a backup of
 * another server, and is skipped.
 */
async function readByTransaction(
  engine: Engine,
  cursor: EventCursor | null,
  limit: number,
): Promise<EventPage> {
  const unread = cursor
    ? sql`((tx, id) > (${cursor.tx}, ${cursor.id}) or tx = any(${`{${cursor.running}}`}::bigint[]))`
    : sql`false`;
  const rows = await engine.run(
    sql<Row<string>>`
      select now.seen, (select upto from events_trimmed) as upto, e.*
      from (select pg_current_snapshot()::text as seen,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next) now
      left join lateral (
        select * from events where ${unread} and tx < now.next order by tx, id limit ${limit}
      ) e on true order by e.tx, e.id`,
  );
  const { seen, upto } = rows[0]!;
  const isKnown =
    cursor === null || (lowestUnread(cursor) > (upto ?? 0) && cursor.tx <= cursorAt(seen, null).tx);
  return eventPageOf(rows, { isKnown, limit, cursor: (last) => cursorAt(seen, last) });
}

function eventPageOf(
  rows: Row<unknown>[],
  page: { isKnown: boolean; limit: number; cursor: (last: EventColumns | null) => EventCursor },
): EventPage {
  if (!page.isKnown) return { events: [], cursor: cursorText(page.cursor(null)), more: false, reset: true };
  const found = rows.filter((row) => row.id !== null);
  const more = found.length === page.limit;
  const cursor = cursorText(page.cursor(more ? found.at(-1)! : null));
  return { events: distinct(found), cursor, more, reset: false };
}

/** Removes duplicates, so that an object that changed several times is reported once. */
function distinct(rows: EventColumns[]): LoggedEvent[] {
  const events = new Map<string, LoggedEvent>();
  for (const { kind, subject: id, account_id: accountId, group_id: groupId } of rows) {
    const event = { kind: id === '' ? 'visibility' : kind, id, accountId, groupId } as const;
    events.set(JSON.stringify(Object.values(event)), event);
  }
  return [...events.values()];
}

/** Does nothing while another process trims the log. */
export async function trimEvents(
  engine: Engine,
  bounds: { maxAgeMs: number; maxCount: number; limit: number },
): Promise<number> {
  const { dialect } = engine;
  return engine.transact(function* (now): Transaction<number> {
    const mark = yield* first(sql`select upto from events_trimmed ${dialect.forUpdateSkipLocked}`);
    if (!mark) return 0;
    const removed = yield* all(removal(dialect, { ...bounds, before: now - bounds.maxAgeMs }));
    if (removed.length === 0) return 0;
    const upto = removed.reduce((highest, { position }) => Math.max(highest, position), 0);
    yield* all(sql`update events_trimmed set upto = ${upto} where upto < ${upto}`);
    return removed.length;
  });
}

/**
 * Estimates the number of events from their ids. Ids that were allocated but never used make the kept log slightly
 * shorter.
 */
function removal(
  { supportsConcurrentWriters }: Dialect,
  { before, maxCount, limit }: { before: number; maxCount: number; limit: number },
): Sql<{ position: number }> {
  const order = supportsConcurrentWriters ? sql`tx, id` : sql`id`;
  const newestFirst = supportsConcurrentWriters ? sql`tx desc, id desc` : sql`id desc`;
  return sql`
    delete from events where (${order}) in (
      select ${order} from (select * from events order by ${order} limit ${limit}) oldest
      where at < ${before} or id <= (select id from events order by ${newestFirst} limit 1) - ${maxCount})
    returning ${supportsConcurrentWriters ? sql`tx` : sql`id`} as position`;
}
