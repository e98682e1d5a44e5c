import type { Page } from '../../contract/http/page.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { every, pageOf, pageWith } from '../engine/paging.ts';
import type { KeyRow, Paging } from '../entities.ts';
import { type KeyWithOwner, keyRow } from '../rows.ts';
import { type Principal, RECORD_USE_INTERVAL_MS } from './account-store.ts';

/**
 * Revoking a key revokes its browser sessions as well, but a process of an earlier version does not know them.
 */
export const hasValidParent: Sql<unknown> = sql`not exists (
  select 1 from keys parent where parent.id = keys.parent_id and parent.revoked_at is not null)`;

const SELECT_KEYS: Sql<KeyWithOwner> = sql`
  select keys.*, accounts.name as account_name, users.name as user_name
  from keys join accounts on accounts.id = keys.account_id left join users on users.id = keys.user_id`;

export async function authenticate(engine: Engine, hash: string): Promise<Principal | null> {
  const [principal] = await engine.run(
    sql<Principal>`
      select keys.id as "keyId", account_id as "accountId", accounts.name as "accountName", role,
        user_id as "userId", coalesce(parent_id, keys.id) as "limitKeyId"
      from keys join accounts on accounts.id = keys.account_id
      where hash = ${hash} and revoked_at is null and ${hasValidParent} and disabled_at is null
        and (expires_at is null or expires_at > ${engine.dialect.currentTime()})`,
  );
  return principal ?? null;
}

export function* readKey(keyId: string): Transaction<KeyRow | undefined> {
  const row = yield* first(sql<KeyWithOwner>`${SELECT_KEYS} where keys.id = ${keyId}`);
  return row && keyRow(row);
}

export async function getKey(engine: Engine, keyId: string): Promise<KeyRow | null> {
  const [row] = await engine.run(
    sql<KeyWithOwner>`${SELECT_KEYS} where keys.id = ${keyId} and keys.deleted_at is null`,
  );
  return row ? keyRow(row) : null;
}

export async function listKeys(
  engine: Engine,
  query: { accountId: string } & Paging,
): Promise<Page<KeyRow> | null> {
  const { accountId } = query;
  return engine.transact(function* (now): Transaction<Page<KeyRow> | null> {
    // Ended sign-ins of all users are left out, because they would hide the keys that people created
    const listed = sql`deleted_at is null and (signed_in = 0 or (revoked_at is null and expires_at > ${now}))`;
    const count = yield* first(
      sql<{ total: number }>`
        select (select count(*) from keys where account_id = a.id and ${listed}) as total from accounts a
        where a.id = ${accountId}`,
    );
    if (!count) return null;
    const rows = yield* all(
      sql<KeyWithOwner>`${SELECT_KEYS} where keys.account_id = ${accountId} and ${listed}
        order by keys.created_at desc, keys.id desc ${pageOf(query)}`,
    );
    return pageWith(query, count.total, rows.map(keyRow));
  });
}

export async function listFleetKeys(
  engine: Engine,
  query: { accountId?: string | undefined } & Paging,
): Promise<Page<KeyRow>> {
  const { accountId } = query;
  const ofAccount = accountId === undefined ? [] : [sql`keys.account_id = ${accountId}`];
  const matching = every([sql`keys.deleted_at is null`, ...ofAccount]);
  return engine.transact(function* (): Transaction<Page<KeyRow>> {
    const count = yield* first(sql<{ total: number }>`select count(*) as total from keys where ${matching}`);
    const rows = yield* all(
      sql<KeyWithOwner>`${SELECT_KEYS} where ${matching} order by keys.created_at, keys.id ${pageOf(query)}`,
    );
    return pageWith(query, count!.total, rows.map(keyRow));
  });
}

export async function recordKeyUse(
  engine: Engine,
  { keyId, address }: { keyId: string; address: string },
): Promise<void> {
  const now = engine.dialect.currentTime();
  await engine.run(
    sql`update keys set last_used_at = ${now}, last_used_from = ${address}
      where id = ${keyId} and (last_used_at is null or last_used_at <= ${now} - ${RECORD_USE_INTERVAL_MS})`,
  );
}

/**
 * Deletes at most `limit` keys that were revoked or expired more than `olderThanMs` ago; returns how many it handled.
 * When sessions or watch links refer to a key, its row stays with only its identifier, role and owner.
 */
export async function sweepKeys(
  engine: Engine,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<number> {
  const { forUpdateSkipLocked, isOneOf } = engine.dialect;
  return engine.transact(function* (now): Transaction<number> {
    const rows = yield* all(
      sql<{ id: string }>`
        select id from keys where deleted_at is null and coalesce(revoked_at, expires_at) < ${now - olderThanMs}
        order by coalesce(revoked_at, expires_at) limit ${limit} ${forUpdateSkipLocked}`,
    );
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    yield* all(
      sql`delete from keys where id ${isOneOf(ids)}
        and not exists (select 1 from sessions where sessions.key_id = keys.id)
        and not exists (select 1 from watch_links where watch_links.created_by = keys.id)`,
    );
    yield* all(
      sql`update keys set deleted_at = ${now}, revoked_at = coalesce(revoked_at, ${now}), hash = 'deleted ' || id,
        prefix = '', name = '', last_used_at = null, last_used_from = null
        where id ${isOneOf(ids)}`,
    );
    return ids.length;
  });
}
