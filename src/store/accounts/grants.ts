import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { hasValidParent } from './keys.ts';

/**
 * Returns those of the grants (identifiers of API keys and watch links) that are valid now. The keys of a disabled
 * user are revoked. A watch link becomes invalid when the key that created it is revoked, but not when that key
 * expires: signing out makes the key expire, while the session that is watched continues.
 */
export async function validGrants(engine: Engine, grantIds: string[]): Promise<string[]> {
  const { currentTime, isOneOf } = engine.dialect;
  const rows = await engine.run(
    sql<{ id: string }>`
      select keys.id from keys join accounts on accounts.id = keys.account_id
      where keys.id ${isOneOf(grantIds)} and keys.revoked_at is null and ${hasValidParent} and accounts.disabled_at is null
        and (keys.expires_at is null or keys.expires_at > ${currentTime()})
      union all
      select l.id from watch_links l join keys on keys.id = l.created_by
        join accounts on accounts.id = keys.account_id
      where l.id ${isOneOf(grantIds)} and l.revoked_at is null and keys.revoked_at is null and ${hasValidParent}
        and (l.expires_at is null or l.expires_at > ${currentTime()})
        and accounts.disabled_at is null`,
  );
  return rows.map(({ id }) => id);
}

interface KeyOfRequest {
  keyId: string;
  accountId: string;
}

/**
 * Must precede all other locks: a concurrent revocation of the key then either waits and sees the session, or has
 * already committed.
 */
export function* lockKey({ dialect }: Engine, { keyId }: Pick<KeyOfRequest, 'keyId'>): Transaction<void> {
  yield* all(sql`select id from keys where id = ${keyId} ${dialect.forReference}`);
}

/**
 * Must be called while the account is locked: a concurrent change that disables it then either waits or has already
 * committed.
 */
export function* keyIsValid({ keyId, accountId }: KeyOfRequest): Transaction<boolean> {
  const row = yield* first(
    sql<{ valid: 0 | 1 }>`
      select ${isKeyValid(keyId, sql`disabled_at`)} as valid from accounts where id = ${accountId}`,
  );
  return row?.valid === 1;
}

/** 0 if the key was revoked or its account was disabled after the request was authenticated; 1 otherwise. */
export function isKeyValid(keyId: string, disabledAt: Sql<unknown>): Sql<unknown> {
  return sql`case when ${disabledAt} is null and exists (
    select 1 from keys where id = ${keyId} and revoked_at is null and ${hasValidParent}) then 1 else 0 end`;
}
