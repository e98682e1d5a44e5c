import { type Engine, sql } from '../engine/engine.ts';

/**
 * Returns those of the grants (identifiers of API keys and watch links) that are valid now. The keys of a disabled
 * user are revoked. A watch link becomes invalid when the key that created it is revoked, but not when that key
 * expires: signing out makes the key expire, while the session that is watched continues.
 */
export async function validGrants(engine: Engine, grantIds: string[]): Promise<string[]> {
  const { clock, clockOffsetMs, isOneOf } = engine.dialect;
  const rows = await engine.run(
    sql<{ id: string }>`
      select keys.id from keys join accounts on accounts.id = keys.account_id
      where keys.id ${isOneOf(grantIds)} and keys.revoked_at is null and accounts.disabled_at is null
        and (keys.expires_at is null or keys.expires_at > ${clock} + ${clockOffsetMs()})
      union all
      select l.id from watch_links l join keys on keys.id = l.created_by
        join accounts on accounts.id = keys.account_id
      where l.id ${isOneOf(grantIds)} and l.revoked_at is null and keys.revoked_at is null
        and accounts.disabled_at is null`,
  );
  return rows.map(({ id }) => id);
}
