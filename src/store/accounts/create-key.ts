import { latestExpiry } from '../../domain/key-lifetime.ts';
import { countShortfall } from '../../domain/quota.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, sql, type Transaction } from '../engine/engine.ts';
import { findReplay, recordIdempotencyKey } from '../engine/idempotency.ts';
import type { Tables } from '../engine/tables.ts';
import type { CreateOutcome, KeyRow, NewAccount, Timestamp } from '../entities.ts';
import { newId } from '../new-id.ts';
import type { CreateKeyCommand, NewKey } from './account-store.ts';
import { findOrCreateAccount } from './accounts.ts';
import { readKey } from './keys.ts';

export async function createKey(
  engine: Engine,
  command: CreateKeyCommand,
  audit?: AuditEvent,
): Promise<CreateOutcome<KeyRow>> {
  const { key, createdWith, by, maxKeys, idempotency } = command;
  return audited(engine, audit, function* (now, record): Transaction<CreateOutcome<KeyRow>> {
    const before = yield* findReplay(by, idempotency);
    if (before === 'conflict') return { ok: false, refusal: { why: 'idempotency-conflict' } };
    if (before) return { ok: true, created: (yield* readKey(before))!, replayed: true };
    if (!(yield* isCreatorValid(engine, key.creator))) return { ok: false, refusal: { why: 'key-invalid' } };
    const latest = createdWith && (yield* latestExpiryBy(createdWith, now));
    if (latest !== null && (key.validForMs === null || now + key.validForMs > latest))
      return { ok: false, refusal: { why: 'outlives-creator', maxValidForMs: latest - now } };
    // Locks the account, because concurrent requests could otherwise exceed the limit.
    const account = yield* first(
      sql`select id from accounts where id = ${key.accountId} ${engine.dialect.forUpdate}`,
    );
    if (!account) return { ok: false, refusal: { why: 'no-such-account' } };
    const shortfall =
      maxKeys === null ? null : countShortfall('keys', yield* countValid(key.accountId, now), maxKeys);
    if (shortfall) return { ok: false, refusal: { why: 'quota', shortfall } };
    const id = yield* insertKey({ ...key, userId: key.creator?.userId ?? null, signedIn: false }, now);
    yield* recordIdempotencyKey(by, idempotency, id, now);
    yield* record({ kind: 'key', id });
    return { ok: true, created: (yield* readKey(id))!, replayed: false };
  });
}

export function getLongestKeyLifetime(
  engine: Engine,
  createdWith: NonNullable<CreateKeyCommand['createdWith']>,
): Promise<number | null> {
  return engine.transact(function* (now): Transaction<number | null> {
    const latest = yield* latestExpiryBy(createdWith, now);
    return latest === null ? null : Math.max(0, latest - now);
  });
}

/**
 * Whether the key of a user who creates another key is still valid. Locks the user first, so that a concurrent
 * revocation either waits and then finds the new key, or has already committed.
 */
function* isCreatorValid(
  { dialect }: Engine,
  creator: CreateKeyCommand['key']['creator'],
): Transaction<boolean> {
  if (!creator) return true;
  yield* all(sql`select id from users where id = ${creator.userId} ${dialect.forUpdate}`);
  const good = yield* first(sql`select id from keys where id = ${creator.keyId} and revoked_at is null`);
  return good !== undefined;
}

function* latestExpiryBy(
  { keyId, maxLifetimeMs }: NonNullable<CreateKeyCommand['createdWith']>,
  now: Timestamp,
): Transaction<Timestamp | null> {
  // In a browser that signed in with a key, the limits of that key apply
  const row = yield* first(
    sql<Tables['keys']>`
      select creator.* from keys join keys creator on creator.id = coalesce(keys.parent_id, keys.id)
      where keys.id = ${keyId} and keys.revoked_at is null and creator.revoked_at is null`,
  );
  // A key that was revoked or deleted in the meantime cannot create keys
  if (!row) return now;
  return latestExpiry({ expiresAt: row.expires_at, signedIn: row.signed_in === 1 }, now, maxLifetimeMs);
}

/** Counts keys that people created. Keys from sign-ins have a separate limit. */
function* countValid(accountId: string, now: Timestamp): Transaction<number> {
  const row = yield* first(
    sql<{ total: number }>`
      select count(*) as total from keys
      where account_id = ${accountId} and signed_in = 0 and revoked_at is null
        and (expires_at is null or expires_at > ${now})`,
  );
  return row!.total;
}

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
