import type { Page } from '../contract/page.ts';
import type { AuditFilter, AuditNote, AuditRow, AuditTarget, Paging } from './admin-store.ts';
import { newEntryId } from './audited.ts';
import { all, type Engine, first, list, type Sql, sql, type Transaction } from './engine.ts';
import { countUpTo, every, pageOf, pageWith } from './paging.ts';
import { type UserColumns, userName } from './rows.ts';
import type { Timestamp } from './store.ts';
import type { Tables } from './tables.ts';

/** 11 values each, and SQLite takes 32,766 parameters. */
const ROWS_PER_INSERT = 500;

type AuditColumns = Tables['audit'] &
  UserColumns & { account_name: string | null; key_prefix: string | null };

export async function addAudit(engine: Engine, notes: AuditNote[]): Promise<void> {
  if (notes.length === 0) return;
  await engine.transact(function* (now): Transaction<void> {
    for (let at = 0; at < notes.length; at += ROWS_PER_INSERT) {
      const rows = notes.slice(at, at + ROWS_PER_INSERT).map((note) => values(note, now));
      yield* all(
        sql`insert into audit (at, id, account_id, key_id, action, address, code, target_kind, target_id,
          other_kind, other_id) values ${list(rows)}`,
      );
    }
  });
}

function values(note: AuditNote, now: Timestamp): Sql<unknown> {
  const [target, other] = note.targets;
  return sql`(${Math.round(now - note.agoMs)}, ${newEntryId()}, ${note.accountId}, ${note.keyId}, ${note.action},
    ${note.address}, ${note.code}, ${target?.kind ?? null}, ${target?.id ?? null},
    ${other?.kind ?? null}, ${other?.id ?? null})`;
}

export async function listAudit(engine: Engine, query: AuditFilter & Paging): Promise<Page<AuditRow>> {
  const matching = conditions(query);
  return engine.transact(function* (): Transaction<Page<AuditRow>> {
    const count = yield* first(countUpTo(sql`audit where ${matching}`));
    const rows = yield* all(entries(matching, pageOf(query)));
    return pageWith(query, count!.total, rows.map(auditRow));
  });
}

export async function auditBefore(
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
  const { clock, clockOffsetMs } = engine.dialect;
  const before = sql`${clock} + ${clockOffsetMs()} - ${olderThanMs}`;
  const swept = await engine.run(
    sql`delete from audit where (at, id) in (
      select at, id from audit where at < ${before} order by at, id limit ${limit}) returning id`,
  );
  return swept.length;
}

/** The newest that match, found before anything is joined to them. */
function entries(matching: Sql<unknown>, part: Sql<unknown>): Sql<AuditColumns> {
  return sql`
    select e.*, a.name as account_name, k.prefix as key_prefix, u.id as user_id, u.name as user_name
    from (select * from audit where ${matching} order by at desc, id desc ${part}) e
    left join accounts a on a.id = e.account_id
    left join keys k on k.id = e.key_id
    left join users u on u.id = k.user_id
    order by e.at desc, e.id desc`;
}

/** An account does little of what is done: its index is the one to go by, which an engine without figures cannot know. */
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
    targets: targets.filter((target) => target !== null),
  };
}

const targetOf = (kind: AuditTarget['kind'] | null, id: string | null): AuditTarget | null =>
  kind === null || id === null ? null : { kind, id };
