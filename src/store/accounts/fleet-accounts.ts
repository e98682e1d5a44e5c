import type { Page } from '../../contract/http/page.ts';
import { monthOf } from '../../domain/month.ts';
import { storedBytes } from '../apps/app-storage.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { findReplay, recordIdempotencyKey } from '../engine/idempotency.ts';
import { pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { CreateOutcome, Paging, SessionRow, Timestamp } from '../entities.ts';
import { accountRow, flagOf } from '../rows.ts';
import { endByOperator } from '../sessions/ending.ts';
import type { AccountChange, AccountUse, CreateAccountCommand } from './account-store.ts';
import { insertAccount } from './accounts.ts';

type AccountWithUse = Tables['accounts'] & { minutes: number | null; app_bytes: number };

export async function listAccounts(engine: Engine, paging: Paging): Promise<Page<AccountUse>> {
  return engine.transact(function* (now): Transaction<Page<AccountUse>> {
    const count = yield* first(sql<{ total: number }>`select count(*) as total from accounts`);
    const rows = yield* all(sql`${accountsWithUse(now)} order by a.name ${pageOf(paging)}`);
    return pageWith(paging, count!.total, (rows as AccountWithUse[]).map(accountUse));
  });
}

export async function createAccount(
  engine: Engine,
  { account, by, idempotency }: CreateAccountCommand,
  audit?: AuditEvent,
): Promise<CreateOutcome<AccountUse>> {
  return audited(engine, audit, function* (now, record): Transaction<CreateOutcome<AccountUse>> {
    const before = yield* findReplay(by, idempotency);
    if (before === 'conflict') return { ok: false, refusal: { why: 'idempotency-conflict' } };
    if (before) return { ok: true, created: (yield* readAccount(before, now))!, replayed: true };
    const row = yield* insertAccount(account, now);
    if (!row) return { ok: false, refusal: { why: 'name-taken' } };
    yield* recordIdempotencyKey(by, idempotency, row.id, now);
    yield* record({ kind: 'account', id: row.id });
    return { ok: true, created: accountUse({ ...row, minutes: null, app_bytes: 0 }), replayed: false };
  });
}

type ChangeOutcome = { account: AccountUse; ended: SessionRow[] } | 'name-taken' | null;

/**
 * Updates the row before looking for live sessions. A concurrent connect waits for the row and then sees that the
 * account is disabled.
 */
export async function updateAccount(
  engine: Engine,
  change: AccountChange,
  audit?: AuditEvent,
): Promise<ChangeOutcome> {
  const { accountId, disabled } = change;
  return audited(engine, audit, function* (now, record): Transaction<ChangeOutcome> {
    const taken =
      change.name !== undefined &&
      (yield* first(sql`select id from accounts where name = ${change.name} and id <> ${accountId}`));
    if (taken) return 'name-taken';
    if (disabled) yield* lockPhonesOf(engine, accountId);
    if (!(yield* writeChange(engine, change, now))) return null;
    const ended = disabled ? yield* endSessionsOf(engine, accountId, now) : [];
    yield* record({ kind: 'account', id: accountId });
    return { account: (yield* readAccount(accountId, now))!, ended };
  });
}

function* writeChange(
  { dialect }: Engine,
  { accountId, name, disabled, ...limits }: AccountChange,
  now: Timestamp,
): Transaction<boolean> {
  const row = yield* first(
    sql<Tables['accounts']>`select * from accounts where id = ${accountId} ${dialect.forUpdate}`,
  );
  if (!row) return false;
  const kept = <T>(changed: T | undefined, current: T): T => (changed === undefined ? current : changed);
  const record = kept(limits.recordSessions, row.record_sessions === 1);
  const disabledAt = disabled === undefined ? row.disabled_at : disabled ? (row.disabled_at ?? now) : null;
  yield* all(
    sql`update accounts set name = ${name ?? row.name},
      quota_minutes = ${kept(limits.quotaMinutes, row.quota_minutes)},
      max_sessions = ${kept(limits.maxSessions, row.max_sessions)},
      max_app_bytes = ${kept(limits.maxAppBytes, row.max_app_bytes)},
      record_sessions = ${flagOf(record)},
      max_artifact_bytes = ${kept(limits.maxArtifactBytes, row.max_artifact_bytes)},
      artifact_days = ${kept(limits.artifactDays, row.artifact_days)}, disabled_at = ${disabledAt} where id = ${accountId}`,
  );
  return true;
}

/** Locks devices before accounts, in the lock order that every transaction keeps. */
function* lockPhonesOf({ dialect }: Engine, accountId: string): Transaction<void> {
  if (!dialect.supportsConcurrentWriters) return;
  yield* all(
    sql`select d.id from devices d where d.id in (
        select device_id from sessions where account_id = ${accountId} and status <> 'disconnected')
      order by d.id ${dialect.forUpdate}`,
  );
}

function* endSessionsOf(engine: Engine, accountId: string, now: Timestamp): Transaction<SessionRow[]> {
  const live = yield* all(
    sql<{ id: string }>`
      select id from sessions where account_id = ${accountId} and status <> 'disconnected' order by id`,
  );
  return yield* endByOperator(engine.dialect, live, 'its account was disabled', now);
}

function* readAccount(accountId: string, now: Timestamp): Transaction<AccountUse | undefined> {
  const row = yield* first(sql<AccountWithUse>`${accountsWithUse(now)} where a.id = ${accountId}`);
  return row && accountUse(row);
}

function accountsWithUse(now: Timestamp): Sql<AccountWithUse> {
  return sql`
    select a.*, u.minutes, ${storedBytes(sql`a.id`)} as app_bytes from accounts a
    left join usage u on u.account_id = a.id and u.month = ${monthOf(now)}`;
}

function accountUse(row: AccountWithUse): AccountUse {
  return {
    ...accountRow(row),
    minutesUsed: row.minutes ?? 0,
    liveSessions: row.live_sessions,
    appBytes: row.app_bytes,
    artifactBytes: row.artifact_bytes,
  };
}
