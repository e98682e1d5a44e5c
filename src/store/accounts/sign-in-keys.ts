import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { KeyRow, Timestamp } from '../entities.ts';
import { insertKey } from './create-key.ts';
import { readKey } from './keys.ts';
import type { BrowserSessionCommand, ClaimCommand } from './user-store.ts';

/** More keys than a user ever has. */
const ALL = 1_000_000;

/** A ticket can be used once: the first request deletes it, and later ones do not find it. */
export async function claimKey(
  engine: Engine,
  command: ClaimCommand,
  audit?: AuditEvent,
): Promise<KeyRow | null> {
  const { ticketHash, key, maxKeys } = command;
  return audited(engine, audit, function* (now, record): Transaction<KeyRow | null> {
    const user = yield* first(
      sql<Tables['users']>`
        update users set ticket_hash = null, ticket_until = null, last_sign_in_at = ${now}
        where ticket_hash = ${ticketHash} and ticket_until > ${now} and disabled_at is null
        returning *`,
    );
    if (!user) return null;
    yield* expireOldest(sql`user_id = ${user.id} and parent_id is null`, maxKeys, now);
    const owner = { accountId: user.account_id, userId: user.id, role: user.role };
    const id = yield* insertKey({ ...key, ...owner, signedIn: true }, now);
    // The user is only known from the ticket
    if (audit) Object.assign(audit, { accountId: user.account_id, keyId: id });
    yield* record({ kind: 'user', id: user.id }, { kind: 'key', id });
    return (yield* readKey(id))!;
  });
}

export async function openBrowserSession(
  engine: Engine,
  { keyId, session, maxSessions }: BrowserSessionCommand,
  audit?: AuditEvent,
): Promise<KeyRow | null> {
  return audited(engine, audit, function* (now, record): Transaction<KeyRow | null> {
    // Orders this against a concurrent revocation: it either finds the browser session, or has already committed
    const key = yield* first(
      sql<Tables['keys']>`
        select * from keys where id = ${keyId} and signed_in = 0 and revoked_at is null
          and (expires_at is null or expires_at > ${now}) ${engine.dialect.forUpdate}`,
    );
    if (!key) return null;
    yield* expireOldest(sql`parent_id = ${keyId}`, maxSessions, now);
    const longestMs = key.expires_at === null ? session.validForMs : key.expires_at - now;
    const id = yield* insertKey(
      {
        accountId: key.account_id,
        userId: key.user_id,
        role: key.role,
        signedIn: true,
        parentId: keyId,
        ...session,
        name: key.name,
        validForMs: Math.min(session.validForMs, longestMs),
      },
      now,
    );
    yield* record({ kind: 'key', id });
    return (yield* readKey(id))!;
  });
}

/** Makes the oldest of the selected sign-in keys expire, so that one more does not exceed `max`. */
function* expireOldest(which: Sql<unknown>, max: number, now: Timestamp): Transaction<void> {
  yield* all(
    sql`update keys set expires_at = ${now} where id in (
      select id from keys
      where ${which} and signed_in = 1 and revoked_at is null and expires_at > ${now}
      order by created_at desc, id desc limit ${ALL} offset ${max - 1})`,
  );
}

export async function endSignIn(engine: Engine, keyId: string, audit?: AuditEvent): Promise<boolean> {
  return audited(engine, audit, function* (now, record): Transaction<boolean> {
    const key = yield* first(
      sql`update keys set expires_at = case when expires_at < ${now} then expires_at else ${now} end
        where id = ${keyId} and signed_in = 1 returning id`,
    );
    if (key) yield* record({ kind: 'key', id: keyId });
    return key !== undefined;
  });
}
