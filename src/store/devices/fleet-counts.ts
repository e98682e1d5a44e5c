import { all, type Engine, sql, type Transaction } from '../engine/engine.ts';
import type { FleetCounts } from './device-store.ts';

/**
 * Counts live objects with small indexes and maintained counts, so that the cost does not grow with the history.
 */
export function getFleetCounts(engine: Engine): Promise<FleetCounts> {
  return engine.transact(function* (now): Transaction<FleetCounts> {
    const sessions = yield* all(
      sql<{ status: string; n: number; first: number }>`
        select status, count(*) as n, min(expires_at) as first from sessions
        where status <> 'disconnected' group by status`,
    );
    const devices = yield* all(
      sql<{ condition: string; n: number }>`
        select status as condition, cast(sum(n) as bigint) as n from device_counts group by status`,
    );
    const hosts = yield* all(
      sql<{ state: string; n: number }>`
        select case when lost = 1 then 'silent' else 'up' end as state, count(*) as n from hosts
        where revoked_at is null group by 1`,
    );
    const firstDue = Math.min(...sessions.map(({ first }) => first));
    return {
      sessions: byName(sessions.map(({ status, n }) => [status, n])),
      devices: byName(devices.map(({ condition, n }) => [condition, n])),
      hosts: byName(hosts.map(({ state, n }) => [state, n])),
      overdueMs: sessions.length === 0 ? 0 : Math.max(0, now - firstDue),
    };
  });
}

const byName = (entries: [string, number][]): Record<string, number> => Object.fromEntries(entries);
