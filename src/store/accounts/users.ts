import type { Page } from '../../contract/http/page.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { every, pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { Paging, SessionRow, Timestamp } from '../entities.ts';
import { endByOperator } from '../sessions/ending.ts';
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

/**
 * Revokes the selected keys of a user and ends the sessions that they created. The caller must have locked the user.
 */
export function* revokeKeysOf(
  engine: Engine,
  userId: string,
  which: Sql<unknown>,
  detail: string,
  now: Timestamp,
): Transaction<SessionRow[]> {
  const wanted = sql`user_id = ${userId} and revoked_at is null and ${which}`;
  // The locks order this against concurrent connects with the keys: either their sessions are found below, or they
  // see the revocation
  yield* all(sql`select id from keys where ${wanted} order by id ${engine.dialect.forRevocation}`);
  yield* all(sql`update keys set revoked_at = ${now} where ${wanted}`);
  const live = yield* all(
    sql<{ id: string }>`
      select id from sessions where status <> 'disconnected'
        and key_id in (select id from keys where user_id = ${userId} and revoked_at is not null)
      order by id`,
  );
  return yield* endByOperator(engine.dialect, live, detail, now);
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
