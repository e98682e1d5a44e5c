import type { Page } from '../../contract/http/page.ts';
import { countShortfall, storageShortfall } from '../../domain/quota.ts';
import { keyIsValid, lockKey } from '../accounts/grants.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { findRequest, recordIdempotencyKey } from '../engine/idempotency.ts';
import { pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { Paging, Timestamp } from '../entities.ts';
import { appRow, sessionRow } from '../rows.ts';
import { appStorageOf } from './app-storage.ts';
import type {
  AppRow,
  CreateAppCommand,
  CreateAppOutcome,
  RequestAppCommand,
  RequestAppOutcome,
} from './app-store.ts';

type AppTable = Tables['apps'];

export async function createApp(
  engine: Engine,
  { keyId, app, maxApps, idempotency }: CreateAppCommand,
  audit?: AuditEvent,
): Promise<CreateAppOutcome> {
  const { accountId, sha256 } = app;
  return audited(engine, audit, function* (now, record): Transaction<CreateAppOutcome> {
    yield* lockKey(engine, { keyId });
    // Locks the account: two concurrent uploads could otherwise create the same app twice, or exceed the limit
    yield* first(sql`select id from accounts where id = ${accountId} ${engine.dialect.forUpdate}`);
    if (!(yield* keyIsValid({ keyId, accountId }))) return { ok: false, refusal: { why: 'key-invalid' } };
    const before = yield* findRequest(accountId, idempotency, 'app_id');
    if (before === 'conflict') return { ok: false, refusal: { why: 'idempotency-conflict' } };
    const same = yield* first(
      sql<AppTable>`select * from apps where ${live(accountId)} and sha256 = ${sha256}`,
    );
    const shortfall = same
      ? null
      : (countShortfall('apps', yield* count(accountId), maxApps) ??
        storageShortfall('app_bytes', yield* appStorageOf(accountId), app.storedSize));
    if (shortfall) return { ok: false, refusal: { why: 'quota', shortfall } };
    const row = same ?? (yield* insert(app, now));
    if (!before) yield* recordIdempotencyKey(accountId, idempotency, row.id, now, 'app_id');
    if (!same) yield* record({ kind: 'app', id: row.id });
    return { ok: true, app: appRow(row), created: same === undefined };
  });
}

function* insert(app: CreateAppCommand['app'], now: Timestamp): Transaction<AppTable> {
  const made = yield* first(
    sql<AppTable>`
      insert into apps (id, account_id, sha256, size, stored_size, package, name, version, version_code, min_sdk, icon_type,
        created_at)
      values (${app.id}, ${app.accountId}, ${app.sha256}, ${app.size}, ${app.storedSize}, ${app.packageName}, ${app.name},
        ${app.version}, ${app.versionCode}, ${app.minSdk}, ${app.iconType}, ${now}) returning *`,
  );
  return made!;
}

function* count(accountId: string): Transaction<number> {
  const row = yield* first(
    sql<{ total: number }>`select count(*) as total from apps where ${live(accountId)}`,
  );
  return row!.total;
}

export async function getApp(engine: Engine, appId: string, accountId: string): Promise<AppRow | null> {
  const [row] = await engine.run(sql<AppTable>`select * from apps where ${owned(appId, accountId)}`);
  return row ? appRow(row) : null;
}

export async function getKeptApp(engine: Engine, appId: string): Promise<AppRow | null> {
  const [row] = await engine.run(sql<AppTable>`select * from apps where id = ${appId}`);
  return row ? appRow(row) : null;
}

export async function listApps(engine: Engine, query: { accountId: string } & Paging): Promise<Page<AppRow>> {
  return engine.transact(function* (): Transaction<Page<AppRow>> {
    const { accountId } = query;
    const total = yield* count(accountId);
    const rows = yield* all(
      sql<AppTable>`select * from apps where ${live(accountId)} order by created_at desc, id desc
        ${pageOf(query)}`,
    );
    return pageWith(query, total, rows.map(appRow));
  });
}

export async function deleteApp(
  engine: Engine,
  appId: string,
  accountId: string,
  audit?: AuditEvent,
): Promise<boolean> {
  return audited(engine, audit, function* (now, record): Transaction<boolean> {
    const deleted = yield* first(
      sql`update apps set deleted_at = ${now} where ${owned(appId, accountId)} returning id`,
    );
    if (deleted) yield* record({ kind: 'app', id: appId });
    return deleted !== undefined;
  });
}

export async function listUnneededApps(engine: Engine, limit: number): Promise<string[]> {
  const rows = await engine.run(
    sql<{ id: string }>`
      select a.id from apps a
      where deleted_at is not null and not exists (
        select 1 from sessions s where s.app_id = a.id
          and s.status <> 'disconnected' and s.app_status in ('pending', 'installing'))
      order by deleted_at limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}

export async function purgeApps(engine: Engine, appIds: string[]): Promise<void> {
  await engine.run(
    sql`delete from apps where deleted_at is not null
      and id ${engine.dialect.isOneOf(appIds)}`,
  );
}

export async function requestApp(
  engine: Engine,
  command: RequestAppCommand,
  audit?: AuditEvent,
): Promise<RequestAppOutcome> {
  const { sessionId, accountId, appId, idempotency } = command;
  const { forUpdate } = engine.dialect;
  return audited(engine, audit, function* (now, record): Transaction<RequestAppOutcome> {
    // Locks the app first, in the same order as connect. A locked app cannot be deleted.
    const app = yield* first(sql`select id from apps where ${owned(appId, accountId)} ${forUpdate}`);
    const session = yield* first(
      sql<Tables['sessions']>`
        select * from sessions where id = ${sessionId} and account_id = ${accountId} ${forUpdate}`,
    );
    const before = yield* findRequest(accountId, idempotency, 'session_id');
    if (before === 'conflict') return { ok: false, refusal: { why: 'idempotency-conflict' } };
    if (!session) return null;
    if (before) return { ok: true, session: sessionRow(session, now), replayed: true };
    if (!app) return { ok: false, refusal: { why: 'app-not-found' } };
    if (session.status === 'disconnected') return { ok: false, refusal: { why: 'ended' } };
    if (session.status === 'connecting') return { ok: false, refusal: { why: 'not-connected' } };
    const asked = yield* first(
      sql<Tables['sessions']>`
        update sessions set app_id = ${appId}, app_status = 'pending', app_error = null,
          app_request = app_request + 1
        where id = ${sessionId} returning *`,
    );
    yield* recordIdempotencyKey(accountId, idempotency, sessionId, now, 'session_id');
    yield* record({ kind: 'session', id: sessionId }, { kind: 'device', id: session.device_id });
    return { ok: true, session: sessionRow(asked!, now), replayed: false };
  });
}

const live = (accountId: string): Sql<unknown> =>
  sql`apps.account_id = ${accountId} and apps.deleted_at is null`;

/** Condition on rows of the table `apps`: the app belongs to this account and is not deleted. */
export const owned = (appId: string, accountId: string): Sql<unknown> =>
  sql`apps.id = ${appId} and ${live(accountId)}`;
