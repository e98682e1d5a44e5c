import { type EndReason, START_TIMEOUT_MS } from '../../contract/http/session.ts';
import { all, type Engine, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { sweepIdempotencyKeys } from '../engine/idempotency.ts';
import type { Timestamp } from '../entities.ts';
import { endSessions } from './ending.ts';
import type { DueSession } from './ending-statement.ts';
import type { ReapOptions, ReapOutcome } from './session-store.ts';

interface SilentHost {
  id: string;
  last_seen: Timestamp;
}

/**
 * Ends what is overdue. Every query uses an index on the deadline and skips rows that another process has locked;
 * that process or the next run handles those.
 */
export async function reap(engine: Engine, { limit, hostSilenceMs }: ReapOptions): Promise<ReapOutcome> {
  return engine.transact(function* (now): Transaction<ReapOutcome> {
    const silenceMs = hostSilenceMs(now);
    const silent = silenceMs === null ? [] : yield* silentHosts(engine, now - silenceMs, limit);
    const orphaned = yield* orphanedSessions(engine, silent);
    const unstarted = yield* dueSessions(engine, NOT_STARTED, now - START_TIMEOUT_MS, limit);
    const expired = yield* dueSessions(engine, EXPIRED, now, limit);
    const due = new Map<string, DueSession>();
    for (const one of [...unstarted, ...expired, ...orphaned]) {
      if (!due.has(one.sessionId)) due.set(one.sessionId, one);
    }
    const ended = yield* endSessions(engine.dialect, [...due.values()], now);
    yield* markLost(
      engine,
      silent.map(({ id }) => id),
    );
    yield* sweepIdempotencyKeys(now, limit);
    return { ended, lostHosts: silent.map(({ id }) => id) };
  });
}

/** Hosts that have not reported since then. Their devices are locked. */
function* silentHosts({ dialect }: Engine, since: Timestamp, limit: number): Transaction<SilentHost[]> {
  const hosts = yield* all(
    sql<SilentHost>`
      select id, last_seen from hosts where lost = 0 and last_seen < ${since}
      order by last_seen limit ${limit} ${dialect.forUpdateSkipLocked}`,
  );
  if (hosts.length > 0 && dialect.supportsConcurrentWriters) {
    yield* all(
      sql`select id from devices where host_id ${dialect.isOneOf(idsOf(hosts))} order by id ${dialect.forUpdate}`,
    );
  }
  return hosts;
}

/** The live sessions on devices of these hosts. They count as used until their host last reported. */
function* orphanedSessions({ dialect }: Engine, hosts: SilentHost[]): Transaction<DueSession[]> {
  if (hosts.length === 0) return [];
  const rows = yield* all(
    sql<{ id: string; last_seen: Timestamp; name: string }>`
      select s.id, h.last_seen, h.name from hosts h
      join devices d on d.host_id = h.id
      join sessions s on s.device_id = d.id and s.status <> 'disconnected'
      where h.id ${dialect.isOneOf(idsOf(hosts))}`,
  );
  return rows.map(({ id, last_seen, name }) => ({
    sessionId: id,
    reason: 'host_lost',
    detail: `host ${name} stopped reporting`,
    usedUntil: last_seen,
  }));
}

interface Deadline {
  reason: EndReason;
  /** Uses the index on this column, which contains only live sessions. */
  due: (before: Timestamp) => Sql<unknown>;
}

const NOT_STARTED: Deadline = {
  reason: 'start_timeout',
  due: (before) => sql`s.status = 'connecting' and s.created_at <= ${before} order by s.created_at`,
};

const EXPIRED: Deadline = {
  reason: 'expired',
  due: (before) => sql`s.status <> 'disconnected' and s.expires_at <= ${before} order by s.expires_at`,
};

function* dueSessions(
  { dialect }: Engine,
  { reason, due }: Deadline,
  before: Timestamp,
  limit: number,
): Transaction<DueSession[]> {
  const rows = yield* all(
    sql<{ id: string }>`
      select s.id from sessions s join devices d on d.id = s.device_id
      where ${due(before)} limit ${limit} ${dialect.forUpdateSkipLocked}`,
  );
  return rows.map(({ id }) => ({ sessionId: id, reason, detail: null }));
}

/** Marks hosts as lost and their devices as absent until the hosts report again. */
export function* markLost({ dialect }: Engine, hostIds: string[]): Transaction<void> {
  if (hostIds.length === 0) return;
  const lost = dialect.isOneOf(hostIds);
  yield* all(
    sql`update devices set present = 0,
        status = case when maintenance = 1 then 'maintenance' else 'offline' end
      where host_id ${lost}`,
  );
  yield* all(sql`update hosts set lost = 1 where id ${lost}`);
}

const idsOf = (hosts: SilentHost[]) => hosts.map(({ id }) => id);
