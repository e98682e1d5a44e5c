import type { Page } from '../../contract/http/page.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, list, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { findReplay, recordIdempotencyKey } from '../engine/idempotency.ts';
import { pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { Paging } from '../entities.ts';
import { newId } from '../new-id.ts';
import type { GroupChange, GroupRefusal, GroupRow, GroupStore } from './group-store.ts';

type Group = Tables['device_groups'];
type Outcome<Name extends keyof GroupStore> = Awaited<ReturnType<GroupStore[Name]>>;

/** Each row has 2 parameters; SQLite allows 32,766. */
const ROWS_PER_INSERT = 1_000;

export async function listGroups(engine: Engine, paging: Paging): Promise<Page<GroupRow>> {
  return engine.transact(function* (): Transaction<Page<GroupRow>> {
    const count = yield* first(sql<{ total: number }>`select count(*) as total from device_groups`);
    const groups = yield* readGroups(engine, sql`order by name ${pageOf(paging)}`);
    return pageWith(paging, count!.total, groups);
  });
}

export async function createGroup(
  engine: Engine,
  { group, by, idempotency }: Parameters<GroupStore['createGroup']>[0],
  audit?: AuditEvent,
): Promise<Outcome<'createGroup'>> {
  return audited(engine, audit, function* (now, record): Transaction<Outcome<'createGroup'>> {
    const before = yield* findReplay(by, idempotency);
    const made = before && before !== 'conflict' && (yield* readGroup(engine, before));
    if (made) return { ok: true, created: made, replayed: true };
    // The idempotency key belongs to another request, or the group it created was deleted. Repeating the request
    // creates nothing.
    if (before) return { ok: false, refusal: { why: 'idempotency-conflict' } };
    const refusal = yield* refusalOf(engine, group);
    if (refusal) return { ok: false, refusal };
    const id = newId('grp');
    yield* all(sql`insert into device_groups (id, name, created_at) values (${id}, ${group.name}, ${now})`);
    yield* addAccounts(id, group.accountIds);
    yield* recordIdempotencyKey(by, idempotency, id, now);
    yield* record({ kind: 'group', id });
    return { ok: true, created: (yield* readGroup(engine, id))!, replayed: false };
  });
}

/** Writes only the memberships that change, so that only those accounts are notified of changed visibility. */
export async function updateGroup(
  engine: Engine,
  change: GroupChange,
  audit?: AuditEvent,
): Promise<Outcome<'updateGroup'>> {
  const { groupId, name, accountIds } = change;
  return audited(engine, audit, function* (_now, record): Transaction<Outcome<'updateGroup'>> {
    if (!(yield* lockGroup(engine, groupId))) return null;
    const refusal = yield* refusalOf(engine, change);
    if (refusal) return { ok: false, refusal };
    if (name !== undefined) yield* all(sql`update device_groups set name = ${name} where id = ${groupId}`);
    if (accountIds) {
      yield* all(
        sql`delete from group_accounts
          where group_id = ${groupId} and not account_id ${engine.dialect.isOneOf(accountIds)}`,
      );
      yield* addAccounts(groupId, accountIds);
    }
    yield* record({ kind: 'group', id: groupId });
    return { ok: true, group: (yield* readGroup(engine, groupId))! };
  });
}

export async function deleteGroup(
  engine: Engine,
  groupId: string,
  audit?: AuditEvent,
): Promise<Outcome<'deleteGroup'>> {
  return audited(engine, audit, function* (_now, record): Transaction<Outcome<'deleteGroup'>> {
    const group = yield* lockGroup(engine, groupId);
    if (!group) return null;
    const { devices } = (yield* readGroup(engine, groupId))!;
    if (devices > 0) return { deleted: false, devices };
    const note = `its group ${group.name} was deleted while the device was detached`;
    yield* all(
      sql`update devices set group_id = null, maintenance = 1, maintenance_note = ${note}
        where group_id = ${groupId}`,
    );
    yield* all(sql`delete from device_counts where group_id = ${groupId}`);
    yield* all(sql`delete from device_groups where id = ${groupId}`);
    yield* record({ kind: 'group', id: groupId });
    return { deleted: true };
  });
}

/** Locks a group. A transaction that puts a device into a group must lock the group as well. */
export function* lockGroup({ dialect }: Engine, groupId: string): Transaction<Group | undefined> {
  return yield* first(sql<Group>`select * from device_groups where id = ${groupId} ${dialect.forUpdate}`);
}

function* refusalOf(
  { dialect }: Engine,
  { groupId = '', name, accountIds = [] }: Partial<GroupChange>,
): Transaction<GroupRefusal | null> {
  const taken =
    name !== undefined &&
    (yield* first(sql`select id from device_groups where name = ${name} and id <> ${groupId}`));
  if (taken) return { why: 'name-taken' };
  const rows = yield* all(
    sql<{ id: string }>`select id from accounts where id ${dialect.isOneOf(accountIds)}`,
  );
  const known = new Set(rows.map(({ id }) => id));
  const accountId = accountIds.find((id) => !known.has(id));
  return accountId === undefined ? null : { why: 'unknown-account', accountId };
}

function* addAccounts(groupId: string, accountIds: string[]): Transaction<void> {
  for (let at = 0; at < accountIds.length; at += ROWS_PER_INSERT) {
    const rows = accountIds.slice(at, at + ROWS_PER_INSERT).map((id) => sql`(${id}, ${groupId})`);
    yield* all(
      sql`insert into group_accounts (account_id, group_id) values ${list(rows)} on conflict do nothing`,
    );
  }
}

function* readGroup(engine: Engine, groupId: string): Transaction<GroupRow | undefined> {
  const [group] = yield* readGroups(engine, sql`where id = ${groupId}`);
  return group;
}

/** `which` is the end of the query that selects the groups. */
function* readGroups({ dialect }: Engine, which: Sql<unknown>): Transaction<GroupRow[]> {
  const groups = yield* all(
    sql<Group & { devices: number }>`
      select g.*, (select count(*) from devices d where d.group_id = g.id and d.forgotten = 0) as devices
      from device_groups g ${which}`,
  );
  const members = yield* all(
    sql<{ group_id: string; id: string; name: string }>`
      select m.group_id, a.id, a.name from group_accounts m join accounts a on a.id = m.account_id
      where m.group_id ${dialect.isOneOf(groups.map(({ id }) => id))} order by a.name`,
  );
  const accounts = Map.groupBy(members, ({ group_id }) => group_id);
  return groups.map(({ id, name, devices, created_at }) => ({
    id,
    name,
    devices,
    createdAt: created_at,
    accounts: (accounts.get(id) ?? []).map((account) => ({ id: account.id, name: account.name })),
  }));
}
