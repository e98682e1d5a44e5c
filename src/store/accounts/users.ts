import type { Page } from '../../contract/http/page.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { every, pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { Paging, SessionRow } from '../entities.ts';
import { revokeKeysOf } from './revoke-keys.ts';
import type { UserRow } from './user-store.ts';

type UserWithAccount = Tables['users'] & { account_name: string };

const SELECT_USERS: Sql<UserWithAccount> = sql`
  select users.*, accounts.name as account_name from users join accounts on accounts.id = users.account_id`;

export async function listUsers(
  engine: Engine,
  query: { accountId?: string | undefined } & Paging,
): Promise<Page<UserRow>> {
  const { accountId } = query;
  const matching = every(accountId === undefined ? [] : [sql`users.account_id = ${accountId}`]);
  return engine.transact(function* (): Transaction<Page<UserRow>> {
    const count = yield* first(sql<{ total: number }>`select count(*) as total from users where ${matching}`);
    const rows = yield* all(
      sql<UserWithAccount>`${SELECT_USERS} where ${matching} order by users.name, users.id ${pageOf(query)}`,
    );
    return pageWith(query, count!.total, rows.map(userRow));
  });
}

export async function getUser(engine: Engine, userId: string): Promise<UserRow | null> {
  return engine.transact(() => readUser(userId));
}

type ChangeOutcome = { user: UserRow; ended: SessionRow[] } | null;

/**
 * Updates the user's row first. A concurrent request that creates a key as this user waits for the row, and is then
 * refused.
 */
export async function updateUser(
  engine: Engine,
  { userId, disabled }: { userId: string; disabled: boolean },
  audit?: AuditEvent,
): Promise<ChangeOutcome> {
  return audited(engine, audit, function* (now, record): Transaction<ChangeOutcome> {
    const since = disabled ? sql`coalesce(disabled_at, ${now})` : sql`null`;
    const row = yield* first(
      sql`update users set disabled_at = ${since}, ticket_hash = null, ticket_until = null
        where id = ${userId} returning id`,
    );
    if (!row) return null;
    const ended = disabled
      ? yield* revokeKeysOf(engine, userId, sql`1 = 1`, 'its user was disabled', now)
      : [];
    yield* record({ kind: 'user', id: userId });
    return { user: (yield* readUser(userId))!, ended };
  });
}

export function* readUser(userId: string): Transaction<UserRow | null> {
  const row = yield* first(sql<UserWithAccount>`${SELECT_USERS} where users.id = ${userId}`);
  return row ? userRow(row) : null;
}

function userRow(row: UserWithAccount): UserRow {
  return {
    id: row.id,
    issuer: row.issuer,
    subject: row.subject,
    accountId: row.account_id,
    accountName: row.account_name,
    name: row.name,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
    disabledAt: row.disabled_at,
  };
}
