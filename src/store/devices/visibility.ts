/**
 * The rule for which devices are visible to an account: those in no group, and those in its groups. No other file may
 * state it. The statement that acts on the rule also reads the rows, so that an operator's change takes effect
 * immediately.
 */
import { type Engine, type Sql, sql } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';

type Id = Sql<unknown> | string;

const groupIdsOf = (accountId: Id) =>
  sql`select group_id from group_accounts where account_id = ${accountId}`;

/**
 * Condition on devices that are visible to the account. `groupId`: the column, when several tables have one of that
 * name.
 */
export const visibleTo = (accountId: Id, groupId: Sql<unknown> = sql`group_id`): Sql<unknown> =>
  sql`(${groupId} is null or ${groupId} in (${groupIdsOf(accountId)}))`;

/** The same for device counts, which have the group '' for devices in no group. Uses their primary key. */
export const countedDevicesFor = (accountId: string): Sql<unknown> =>
  sql`group_id in (select '' union all ${groupIdsOf(accountId)})`;

/** The groups of each account. Accounts that are in no group are absent from the map. */
export async function listGroupsOf(
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
