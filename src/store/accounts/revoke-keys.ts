import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import type { KeyRow, SessionRow, Timestamp } from '../entities.ts';
import { endByOperator } from '../sessions/ending.ts';
import { readKey } from './keys.ts';

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
    const key = yield* readKey(keyId);
    if (!key) return null;
    const live = yield* all(
      sql<{ id: string }>`
        select id from sessions where status <> 'disconnected'
          and key_id in (select id from keys where id = ${keyId} or parent_id = ${keyId})
        order by id`,
    );
    const ended = yield* endByOperator(engine.dialect, live, 'its key was revoked', now);
    return { key, ended };
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
