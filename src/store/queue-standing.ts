import { type Groups, sees } from '../domain/sight.ts';
import { all, type Engine, sql, type Transaction } from './engine.ts';
import type { PhoneFilter, QueueStanding } from './phone-queue.ts';
import { allMatching, competingWaiters, livingWaiters } from './queue-match.ts';
import { byAccount, membershipsOf } from './sight.ts';
import type { Timestamp } from './store.ts';

/** What there is for requests with one filter, and who waits for that, whoever sees what. */
interface Queue {
  /** Phones that match: how many, by group. */
  matching: ReadonlyMap<string | null, number>;
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
    sql<{ group_id: string | null; n: number }>`
      select d.group_id, count(*) as n from ${allMatching(filter)} group by d.group_id`,
  );
  const waiters = yield* all(
    sql<{ id: string; account_id: string }>`
      select w.id, w.account_id from ${livingWaiters(now)} where ${competingWaiters(filter)} order by w.place`,
  );
  const waiting = waiters.map(({ id, account_id: accountId }) => ({ sessionId: id, accountId }));
  const concerned = new Set([...accountIds, ...waiting.map(({ accountId }) => accountId)]);
  const queue = {
    matching: new Map(matching.map(({ group_id, n }) => [group_id, n])),
    waiting,
    groups: byAccount(yield* all(membershipsOf(engine, [...concerned]))),
  };
  return new Map(accountIds.map((id) => [id, standingOf(queue, id)]));
}

/** What of the queue is an account's concern: phones that it sees, and those who wait for one of them. */
export function standingOf({ matching, waiting, groups }: Queue, accountId: string): QueueStanding {
  const doesSee = (id: string, groupId: string | null) => sees(groups.get(id) ?? NO_GROUPS, groupId);
  const seen = [...matching].filter(([groupId]) => doesSee(accountId, groupId));
  const competes = new Map<string, boolean>();
  for (const { accountId: id } of waiting) {
    if (competes.has(id)) continue;
    competes.set(id, id === accountId || seen.some(([groupId]) => doesSee(id, groupId)));
  }
  return {
    matching: seen.reduce((sum, [, count]) => sum + count, 0),
    waiting: waiting.flatMap(({ sessionId, accountId: id }) => (competes.get(id) ? [sessionId] : [])),
  };
}
