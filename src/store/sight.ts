/**
 * Which phones an account sees: those in no group, and those of its groups. The one place that says so. Asked of the rows
 * in the statement that acts on the answer, so that what an operator has changed holds from then on.
 */
import { type Engine, type Sql, sql } from './engine.ts';
import type { Tables } from './tables.ts';

type Id = Sql<unknown> | string;

const groupsOf = (accountId: Id) => sql`select group_id from group_accounts where account_id = ${accountId}`;

/** On phones: those that the account sees. `groupId`: the column, where several tables have one. */
export const seenBy = (accountId: Id, groupId: Sql<unknown> = sql`group_id`): Sql<unknown> =>
  sql`(${groupId} is null or ${groupId} in (${groupsOf(accountId)}))`;

/** The same on counts of phones, whose group is '' where it is none: found by their key. */
export const countedFor = (accountId: string): Sql<unknown> =>
  sql`group_id in (select '' union all ${groupsOf(accountId)})`;

/** The groups of each of these accounts that is in any. */
export async function groupsOfAccounts(
  engine: Engine,
  accountIds: readonly string[],
): Promise<Map<string, ReadonlySet<string>>> {
  return byAccount(await engine.run(membershipsOf(engine, accountIds)));
}

export const membershipsOf = (
  { dialect }: Engine,
  accountIds: readonly string[],
): Sql<Tables['group_accounts']> =>
  sql`select account_id, group_id from group_accounts where account_id ${dialect.isOneOf(accountIds)}`;

export function byAccount(rows: Tables['group_accounts'][]): Map<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { account_id, group_id } of rows) {
    groups.set(account_id, (groups.get(account_id) ?? new Set()).add(group_id));
  }
  return groups;
}
