import type { WebhookEvent } from '../../contract/events/webhook.ts';
import type { Page } from '../../contract/http/page.ts';
import { countShortfall } from '../../domain/quota.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { findReplay, recordIdempotencyKey } from '../engine/idempotency.ts';
import { pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { CreateOutcome, Paging, Timestamp } from '../entities.ts';
import { newId } from '../new-id.ts';
import { insertDeliveries, pendingOf, wakeWebhooks } from './webhook-deliveries.ts';
import { beginListening } from './webhook-fan-out.ts';
import type { WebhookChange, WebhookRow, WebhookStore } from './webhook-store.ts';

type Webhook = Tables['webhooks'];
type WithAccount = Webhook & { account_name: string };
type Command<Name extends keyof WebhookStore> = Parameters<WebhookStore[Name]>[0];

const SELECT_WEBHOOKS: Sql<WithAccount> = sql`
  select w.*, a.name as account_name from webhooks w join accounts a on a.id = w.account_id`;

export async function createWebhook(
  engine: Engine,
  { webhook, maxWebhooks, startAt, idempotency }: Command<'createWebhook'>,
  audit?: AuditEvent,
): Promise<CreateOutcome<WebhookRow>> {
  const { accountId } = webhook;
  return audited(engine, audit, function* (now, record): Transaction<CreateOutcome<WebhookRow>> {
    const before = yield* findReplay(accountId, idempotency);
    if (before === 'conflict') return { ok: false, refusal: { why: 'idempotency-conflict' } };
    const made = before && (yield* readWebhook(before, now));
    if (made) return { ok: true, created: made, replayed: true };
    // The webhook was deleted since then. Repeating the request does not create another one.
    if (before) return { ok: false, refusal: { why: 'idempotency-conflict' } };
    yield* beginListening(engine.dialect, startAt, null);
    // Locks the account, because concurrent requests could otherwise exceed the limit.
    const account = yield* first(
      sql`select id from accounts where id = ${accountId} ${engine.dialect.forUpdate}`,
    );
    if (!account) return { ok: false, refusal: { why: 'no-such-account' } };
    const count = yield* first(
      sql<{ total: number }>`select count(*) as total from webhooks where account_id = ${accountId}`,
    );
    const shortfall = countShortfall('webhooks', count!.total, maxWebhooks);
    if (shortfall) return { ok: false, refusal: { why: 'quota', shortfall } };
    const id = newId('hook');
    yield* all(
      sql`insert into webhooks (id, account_id, url, events, description, secret, created_at)
        values (${id}, ${accountId}, ${webhook.url}, ${JSON.stringify(webhook.events)},
          ${webhook.description}, ${webhook.secret}, ${now})`,
    );
    yield* recordIdempotencyKey(accountId, idempotency, id, now);
    yield* record({ kind: 'webhook', id });
    return { ok: true, created: (yield* readWebhook(id, now))!, replayed: false };
  });
}

function* readWebhook(webhookId: string, now: Timestamp): Transaction<WebhookRow | undefined> {
  const row = yield* first(sql<WithAccount>`${SELECT_WEBHOOKS} where w.id = ${webhookId}`);
  return row && webhookRow(row, now);
}

export async function getWebhook(
  engine: Engine,
  webhookId: string,
  accountId: string,
): Promise<WebhookRow | null> {
  return engine.transact(function* (now): Transaction<WebhookRow | null> {
    const row = yield* readWebhook(webhookId, now);
    return row?.accountId === accountId ? row : null;
  });
}

export async function listWebhooks(
  engine: Engine,
  query: { accountId?: string | undefined } & Paging,
): Promise<Page<WebhookRow & { pending: number }>> {
  const { accountId } = query;
  const matching = accountId === undefined ? sql`1 = 1` : sql`account_id = ${accountId}`;
  return engine.transact(function* (now): Transaction<Page<WebhookRow & { pending: number }>> {
    const count = yield* first(
      sql<{ total: number }>`select count(*) as total from webhooks where ${matching}`,
    );
    const rows = yield* all(
      sql<WithAccount & { pending: number }>`
        select w.*, a.name as account_name, (
          select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.state = 'pending') as pending
        from (select * from webhooks where ${matching} order by created_at desc, id desc ${pageOf(query)}) w
        join accounts a on a.id = w.account_id order by w.created_at desc, w.id desc`,
    );
    const items = rows.map((row) => ({ ...webhookRow(row, now), pending: row.pending }));
    return pageWith(query, count!.total, items);
  });
}

type ChangeOutcome = Awaited<ReturnType<WebhookStore['updateWebhook']>>;

export async function updateWebhook(
  engine: Engine,
  change: WebhookChange,
  startAt: string | null,
  audit?: AuditEvent,
): Promise<ChangeOutcome> {
  const { webhookId, accountId } = change;
  return audited(engine, audit, function* (now, record): Transaction<ChangeOutcome> {
    if (change.active && startAt !== null) yield* beginListening(engine.dialect, startAt, webhookId);
    const row = yield* first(
      sql<Webhook>`select * from webhooks where id = ${webhookId} ${engine.dialect.forUpdate}`,
    );
    if (!row || (accountId !== undefined && row.account_id !== accountId)) return null;
    if (change.active && row.inactive_cause === 'operator' && accountId !== undefined) return 'blocked';
    const { url = row.url, description = row.description } = change;
    const events = change.events ? JSON.stringify(change.events) : row.events;
    yield* all(
      sql`update webhooks set url = ${url}, events = ${events}, description = ${description}
        where id = ${webhookId}`,
    );
    if (change.active === false) yield* stop(row, change);
    if (change.active && row.active === 0) yield* resume(row, now);
    yield* record({ kind: 'webhook', id: webhookId });
    const pending = (yield* pendingOf(sql`= ${webhookId}`)).get(webhookId) ?? 0;
    return { ...(yield* readWebhook(webhookId, now))!, pending };
  });
}

/** A webhook that an operator deactivated keeps the operator as the cause. */
function* stop(row: Webhook, { cause = 'account', reason = null }: WebhookChange): Transaction<void> {
  if (row.active === 0 && cause !== 'operator') return;
  yield* all(
    sql`update webhooks set active = 0, inactive_cause = ${cause}, inactive_reason = ${reason}
      where id = ${row.id}`,
  );
}

function* resume({ id }: Webhook, now: Timestamp): Transaction<void> {
  yield* all(
    sql`update webhooks set active = 1, inactive_cause = null, inactive_reason = null, failing_since = null,
      missed = 0 where id = ${id}`,
  );
  yield* insertDeliveries([{ webhookId: id, event: 'reset', data: '{}' }], now);
  yield* wakeWebhooks(sql`id = ${id}`, now);
}

export async function deleteWebhook(
  engine: Engine,
  webhookId: string,
  accountId: string,
  audit?: AuditEvent,
): Promise<boolean> {
  return audited(engine, audit, function* (_now, record): Transaction<boolean> {
    const deleted = yield* first(
      sql`delete from webhooks where id = ${webhookId} and account_id = ${accountId} returning id`,
    );
    if (deleted) yield* record({ kind: 'webhook', id: webhookId });
    return deleted !== undefined;
  });
}

export async function rotateWebhookSecret(
  engine: Engine,
  { webhookId, accountId, secret, overlapMs }: Command<'rotateWebhookSecret'>,
  audit?: AuditEvent,
): Promise<WebhookRow | null> {
  return audited(engine, audit, function* (now, record): Transaction<WebhookRow | null> {
    const rotated = yield* first(
      sql`update webhooks set previous_secret = secret, previous_until = ${now + overlapMs}, secret = ${secret}
        where id = ${webhookId} and account_id = ${accountId} returning id`,
    );
    if (!rotated) return null;
    yield* record({ kind: 'webhook', id: webhookId });
    return (yield* readWebhook(webhookId, now))!;
  });
}

export function webhookRow(row: WithAccount, now: Timestamp): WebhookRow {
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    url: row.url,
    events: JSON.parse(row.events) as WebhookEvent[],
    description: row.description,
    active: row.active === 1,
    inactiveCause: row.inactive_cause,
    inactiveReason: row.inactive_reason,
    failingSince: row.failing_since,
    previousSecretUntil: row.previous_until !== null && row.previous_until > now ? row.previous_until : null,
    createdAt: row.created_at,
  };
}
