import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import type { KeyRow, NewAccount, SessionRow, Timestamp } from '../entities.ts';
import { type KeyWithOwner, keyRow } from '../rows.ts';
import { endByOperator } from '../sessions/ending.ts';
import type { NewKey, Principal } from './account-store.ts';
import { findOrCreateAccount, newId } from './accounts.ts';

/**
 * Revoking a key revokes its browser sessions as well, but a process of an earlier version does not know them.
 */
export const hasValidParent: Sql<unknown> = sql`not exists (
  select 1 from keys parent where parent.id = keys.parent_id and parent.revoked_at is not null)`;

export const SELECT_KEYS: Sql<KeyWithOwner> = sql`
  select keys.*, accounts.name as account_name, users.name as user_name
  from keys join accounts on accounts.id = keys.account_id left join users on users.id = keys.user_id`;

export async function ensureBootstrapKey(
  engine: Engine,
  options: { account: NewAccount; hash: string; prefix: string },
): Promise<void> {
  await engine.transact(function* (now): Transaction<void> {
    const account = yield* findOrCreateAccount(options.account, now);
    if (yield* first(sql`select id from keys where hash = ${options.hash}`)) return;
    const { hash, prefix } = options;
    const key: NewKey = {
      accountId: account.id,
      name: 'bootstrap',
      role: 'admin',
      hash,
      prefix,
      validForMs: null,
    };
    yield* insertKey({ ...key, userId: null, signedIn: false }, now);
  });
}

/** Returns the identifier of the new key. */
export function* insertKey(
  key: NewKey & { userId: string | null; signedIn: boolean; parentId?: string },
  now: Timestamp,
): Transaction<string> {
  const id = newId('key');
  const expiresAt = key.validForMs === null ? null : now + key.validForMs;
  yield* all(
    sql`insert into keys (id, account_id, name, role, hash, prefix, created_at, expires_at, user_id, signed_in,
        parent_id)
      values (${id}, ${key.accountId}, ${key.name}, ${key.role}, ${key.hash}, ${key.prefix}, ${now},
        ${expiresAt}, ${key.userId}, ${key.signedIn ? 1 : 0}, ${key.parentId ?? null})`,
  );
  return id;
}

export async function revokeKey(
  engine: Engine,
  keyId: string,
  audit?: AuditEvent,
): Promise<{ key: KeyRow; ended: SessionRow[] } | null> {
  return audited(engine, audit, function* (now, record): Transaction<{
    key: KeyRow;
    ended: SessionRow[];
  } | null> {
    // The locks order this against concurrent connects with the key: either their sessions are found below, or they
    // see the revocation. The key comes first, because a browser that signs in with it locks it too.
    yield* all(sql`select id from keys where id = ${keyId} ${engine.dialect.forRevocation}`);
    yield* all(
      sql`select id from keys where parent_id = ${keyId} order by id ${engine.dialect.forRevocation}`,
    );
    const revoked = yield* first(
      sql`update keys set revoked_at = ${now} where id = ${keyId} and revoked_at is null returning id`,
    );
    if (revoked) yield* record({ kind: 'key', id: keyId });
    yield* all(sql`update keys set revoked_at = ${now} where parent_id = ${keyId} and revoked_at is null`);
    const key = yield* first(sql<KeyWithOwner>`${SELECT_KEYS} where keys.id = ${keyId}`);
    if (!key) return null;
    const live = yield* all(
      sql<{ id: string }>`
        select id from sessions where status <> 'disconnected'
          and key_id in (select id from keys where id = ${keyId} or parent_id = ${keyId})
        order by id`,
    );
    const ended = yield* endByOperator(engine.dialect, live, 'its key was revoked', now);
    return { key: keyRow(key), ended };
  });
}

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
