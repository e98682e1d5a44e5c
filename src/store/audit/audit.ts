import type { Page } from '../../contract/http/page.ts';
import { all, type Engine, first, list, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { countUpTo, every, pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { Paging } from '../entities.ts';
import { type UserColumns, userName } from '../rows.ts';
import type { AuditEntryId, AuditFilter, AuditRow, AuditTarget, NewAuditEntry } from './audit-store.ts';
import { newEntryId } from './audited.ts';

/** Each row has 12 parameters; SQLite allows 32,766. */
const ROWS_PER_INSERT = 500;

type AuditColumns = Tables['audit'] &
  UserColumns & { account_name: string | null; key_prefix: string | null };

export async function addAudit(engine: Engine, entries: NewAuditEntry[]): Promise<AuditEntryId[]> {
  if (entries.length === 0) return [];
  return engine.transact(function* (now): Transaction<AuditEntryId[]> {
    const ids = entries.map(({ agoMs }) => ({ at: Math.round(now - agoMs), id: newEntryId() }));
    const rows = entries.map((entry, index) => values(entry, ids[index]!));
    for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
      yield* all(
        sql`insert into audit (at, id, account_id, key_id, action, address, code, target_kind, target_id,
          other_kind, other_id, count) values ${list(rows.slice(at, at + ROWS_PER_INSERT))}`,
      );
    }
    return ids;
  });
}

function values(entry: NewAuditEntry, { at, id }: AuditEntryId): Sql<unknown> {
  const [target, other] = entry.targets;
  return sql`(${at}, ${id}, ${entry.accountId}, ${entry.keyId}, ${entry.action},
    ${entry.address}, ${entry.code}, ${target?.kind ?? null}, ${target?.id ?? null},
    ${other?.kind ?? null}, ${other?.id ?? null}, ${entry.count})`;
}

export async function countAudit(
  engine: Engine,
  counts: (AuditEntryId & { count: number })[],
): Promise<void> {
  if (counts.length === 0) return;
  await engine.transact(function* (): Transaction<void> {
    // A fixed order prevents deadlocks between two processes
    for (const { at, id, count } of counts.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      yield* all(sql`update audit set count = ${count} where at = ${at} and id = ${id}`);
  });
}

export async function listAudit(engine: Engine, query: AuditFilter & Paging): Promise<Page<AuditRow>> {
  const matching = conditions(query);
  return engine.transact(function* (): Transaction<Page<AuditRow>> {
    const count = yield* first(countUpTo(sql`audit where ${matching}`));
    const rows = yield* all(entries(matching, pageOf(query)));
    return pageWith(query, count!.total, rows.map(auditRow));
  });
}

export async function listAuditBefore(
  engine: Engine,
  { filter, before, limit }: { filter: AuditFilter; before: AuditRow | null; limit: number },
): Promise<AuditRow[]> {
  const older = before ? sql`(at, id) < (${before.at}, ${before.id})` : sql`1 = 1`;
  const rows = await engine.run(entries(sql`${conditions(filter)} and ${older}`, sql`limit ${limit}`));
  return rows.map(auditRow);
}

export async function sweepAudit(
  engine: Engine,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<number> {
  const before = sql`${engine.dialect.currentTime()} - ${olderThanMs}`;
  const swept = await engine.run(
    sql`delete from audit where (at, id) in (
      select at, id from audit where at < ${before} order by at, id limit ${limit}) returning id`,
  );
  return swept.length;
}

export async function boundAudit(
  engine: Engine,
  { maxEntries, limit }: { maxEntries: number; limit: number },
): Promise<number> {
  const [all] = await engine.run(sql<{ n: number }>`select count(*) as n from audit`);
  if (all!.n <= maxEntries) return 0;
  const accounts = await engine.run(
    sql<{ id: string; n: number }>`
      select account_id as id, count(*) as n from audit where account_id is not null group by account_id`,
  );
  const known = accounts.reduce((sum, { n }) => sum + n, 0);
  let removed = 0;
  for (const { id, n } of surplusOf([...accounts, { id: null, n: all!.n - known }], maxEntries)) {
    if (removed >= limit) break;
    const own = id === null ? sql`account_id is null` : sql`account_id = ${id}`;
    const oldest = await engine.run(
      sql`delete from audit where (at, id) in (
        select at, id from audit where ${own} order by at, id limit ${Math.min(n, limit - removed)}) returning id`,
    );
    removed += oldest.length;
  }
  return removed;
}

/**
 * Computes how many entries each account has too many, largest surplus first. Every account keeps an equal share, or
 * all entries if it has fewer.
 */
function surplusOf<T extends { n: number }>(accounts: T[], maxEntries: number): T[] {
  const ascending = accounts.toSorted((a, b) => a.n - b.n);
  let left = maxEntries;
  let share = 0;
  for (const [index, { n }] of ascending.entries()) {
    share = Math.floor(left / (ascending.length - index));
    if (n > share) break;
    left -= n;
  }
  return ascending
    .reverse()
    .filter(({ n }) => n > share)
    .map((account) => ({ ...account, n: account.n - share }));
}

/** Selects the newest matching entries before joining anything to them. */
function entries(matching: Sql<unknown>, part: Sql<unknown>): Sql<AuditColumns> {
  return sql`
    select e.*, a.name as account_name, k.prefix as key_prefix, u.id as user_id, u.name as user_name
    from (select * from audit where ${matching} order by at desc, id desc ${part}) e
    left join accounts a on a.id = e.account_id
    left join keys k on k.id = e.key_id
    left join users u on u.id = k.user_id
    order by e.at desc, e.id desc`;
}

/**
 * One account has few of all entries, so that the index on the account is the better one. A planner without
 * statistics cannot know that; the expression keeps it from using the index on the action.
 */
const ACTION_OF_ONE = sql`action || ''`;
const ACTION = sql`action`;

function conditions({ accountId, action, target, since, until }: AuditFilter): Sql<unknown> {
  return every([
    ...(accountId === undefined ? [] : [sql`account_id = ${accountId}`]),
    ...(action === undefined ? [] : [sql`${accountId === undefined ? ACTION : ACTION_OF_ONE} = ${action}`]),
    ...(target === undefined ? [] : [sql`(target_id = ${target} or other_id = ${target})`]),
    ...(since === undefined ? [] : [sql`at >= ${since}`]),
    ...(until === undefined ? [] : [sql`at < ${until}`]),
  ]);
}

function auditRow(row: AuditColumns): AuditRow {
  const targets = [targetOf(row.target_kind, row.target_id), targetOf(row.other_kind, row.other_id)];
  return {
    id: row.id,
    at: row.at,
    account: row.account_id === null ? null : { id: row.account_id, name: row.account_name ?? '' },
    key: row.key_id === null ? null : { id: row.key_id, prefix: row.key_prefix ?? '' },
    user: userName(row),
    action: row.action,
    address: row.address,
    code: row.code,
    count: row.count,
    targets: targets.filter((target) => target !== null),
  };
}

const targetOf = (kind: AuditTarget['kind'] | null, id: string | null): AuditTarget | null =>
  kind === null || id === null ? null : { kind, id };
