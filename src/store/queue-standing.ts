import { commonReason } from '../domain/device-status.ts';
import type { UnavailableReason } from '../domain/refusals.ts';
import { type Groups, sees } from '../domain/sight.ts';
import { all, type Engine, sql, type Transaction } from './engine.ts';
import type { PhoneFilter, QueueStanding } from './phone-queue.ts';
import { allMatching, competingWaiters, livingWaiters } from './queue-match.ts';
import { byAccount, membershipsOf } from './sight.ts';
import type { Timestamp } from './store.ts';

interface Matching {
  groupId: string | null;
  reason: UnavailableReason;
  count: number;
}

/** unavailableReason() of domain/device-status.ts, of phones `d`. One that is free is so for those ahead, or only just. */
const REASON = sql`
  case d.status when 'available' then 'in_use' when 'busy' then
    case when exists (select 1 from sessions s where s.device_id = d.id and s.status <> 'disconnected')
      then 'in_use' else 'cleaning' end
    else d.status end`;

/** What there is for requests with one filter, and who waits for that, whoever sees what. */
interface Queue {
  /** Phones that match: how many, by group and by what keeps them from being lent. */
  matching: readonly Matching[];
  /** Whoever waits for a phone that the filter allows, in their turn. */
  waiting: { sessionId: string; accountId: string }[];
  groups: ReadonlyMap<string, Groups>;
}

const NO_GROUPS: Groups = new Set();

/** Read once for all of the accounts. */
export function* standings(
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
      select w.id, w.account_id from ${livingWaiters(now)} where ${competingWaiters(filter)} order by w.place`,
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

/** What of the queue is an account's concern: phones that it sees, and those who wait for one of them. */
export function standingOf({ matching, waiting, groups }: Queue, accountId: string): QueueStanding {
  const doesSee = (id: string, groupId: string | null) => sees(groups.get(id) ?? NO_GROUPS, groupId);
  const seen = matching.filter(({ groupId }) => doesSee(accountId, groupId));
  const competes = new Map<string, boolean>();
  for (const { accountId: id } of waiting) {
    if (competes.has(id)) continue;
    competes.set(id, id === accountId || seen.some(({ groupId }) => doesSee(id, groupId)));
  }
  return {
    matching: seen.reduce((sum, { count }) => sum + count, 0),
    reason: commonReason(seen.map(({ reason }) => reason)),
    waiting: waiting.flatMap(({ sessionId, accountId: id }) => (competes.get(id) ? [sessionId] : [])),
  };
}
