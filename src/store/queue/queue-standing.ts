import { commonReason } from '../../domain/device-status.ts';
import type { UnavailableReason } from '../../domain/refusals.ts';
import { type Groups, isVisibleTo } from '../../domain/visibility.ts';
import { byAccount, membershipsOf } from '../devices/visibility.ts';
import { all, type Engine, sql, type Transaction } from '../engine/engine.ts';
import type { Timestamp } from '../entities.ts';
import type { PhoneFilter, QueueStanding } from './phone-queue.ts';
import { allMatching, competingWaiters, liveWaiters } from './queue-match.ts';

interface Matching {
  groupId: string | null;
  reason: UnavailableReason;
  count: number;
}

/**
 * SQL version of unavailableReason() in domain/device-status.ts, for devices `d`. An available device counts as in
 * use: it goes to a waiter that is ahead, or has only just become available.
 */
const REASON = sql`
  case d.status when 'available' then 'in_use' when 'busy' then
    case when exists (select 1 from sessions s where s.device_id = d.id and s.status <> 'disconnected')
      then 'in_use' else 'cleaning' end
    else d.status end`;

/** The devices that match one filter and the requests that wait for them, regardless of visibility. */
interface Queue {
  /** Numbers of matching devices, by group and by the reason why they cannot be connected. */
  matching: readonly Matching[];
  /** Requests that wait for a device that the filter matches, in queue order. */
  waiting: { sessionId: string; accountId: string }[];
  groups: ReadonlyMap<string, Groups>;
}

const NO_GROUPS: Groups = new Set();

/** Reads the queue once for all of the accounts. */
export const getQueueStandings = (
  engine: Engine,
  filter: PhoneFilter,
  accountIds: string[],
): Promise<ReadonlyMap<string, QueueStanding>> =>
  engine.transact((now) => standings(engine, filter, accountIds, now));

function* standings(
  engine: Engine,
  filter: PhoneFilter,
  accountIds: readonly string[],
  now: Timestamp,
): Transaction<Map<string, QueueStanding>> {
  const matching = yield* all(
    sql<{ group_id: string | null; reason: UnavailableReason; n: number }>`
      select group_id, reason, count(*) as n
      from (select d.group_id, ${REASON} as reason from ${allMatching(filter)}) phones group by group_id, reason`,
  );
  const waiters = yield* all(
    sql<{ id: string; account_id: string }>`
      select w.id, w.account_id from ${liveWaiters(now)} where ${competingWaiters(filter)} order by w.place`,
  );
  const waiting = waiters.map(({ id, account_id: accountId }) => ({ sessionId: id, accountId }));
  const concerned = new Set([...accountIds, ...waiting.map(({ accountId }) => accountId)]);
  const queue = {
    matching: matching.map(({ group_id, reason, n }) => ({ groupId: group_id, reason, count: n })),
    waiting,
    groups: byAccount(yield* all(membershipsOf(engine, [...concerned]))),
  };
  return new Map(accountIds.map((id) => [id, standingOf(queue, id)]));
}

/**
 * The part of the queue that concerns an account: the devices that it can see, and the requests that wait for one of
 * those.
 */
export function standingOf({ matching, waiting, groups }: Queue, accountId: string): QueueStanding {
  const isVisible = (id: string, groupId: string | null) => isVisibleTo(groups.get(id) ?? NO_GROUPS, groupId);
  const seen = matching.filter(({ groupId }) => isVisible(accountId, groupId));
  const competes = new Map<string, boolean>();
  for (const { accountId: id } of waiting) {
    if (competes.has(id)) continue;
    competes.set(id, id === accountId || seen.some(({ groupId }) => isVisible(id, groupId)));
  }
  return {
    matching: seen.reduce((sum, { count }) => sum + count, 0),
    reason: commonReason(seen.map(({ reason }) => reason)),
    waiting: waiting.flatMap(({ sessionId, accountId: id }) => (competes.get(id) ? [sessionId] : [])),
  };
}
