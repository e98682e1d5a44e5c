import type { Page } from '../../contract/http/page.ts';
import { latestExpiry } from '../../domain/key-lifetime.ts';
import { countShortfall } from '../../domain/quota.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, sql, type Transaction } from '../engine/engine.ts';
import { findReplay, recordIdempotencyKey } from '../engine/idempotency.ts';
import { every, pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { CreateOutcome, KeyRow, Paging, Timestamp } from '../entities.ts';
import { type KeyWithOwner, keyRow } from '../rows.ts';
import { type CreateKeyCommand, RECORD_USE_INTERVAL_MS } from './account-store.ts';
import { insertKey, SELECT_KEYS } from './keys.ts';

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

function* readKey(keyId: string): Transaction<KeyRow | undefined> {
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
