import type { WebhookMessageType } from '../../contract/events/webhook.ts';
import type { Page } from '../../contract/http/page.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, list, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { every, pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { Timestamp } from '../entities.ts';
import { newId } from '../new-id.ts';
import type { DeliveryRow, ResendOutcome, WebhookStore } from './webhook-store.ts';

type Webhook = Tables['webhooks'];
type Delivery = Tables['webhook_deliveries'];
type Command<Name extends keyof WebhookStore> = Parameters<WebhookStore[Name]>[0];

/** Each row has 7 parameters; SQLite allows 32,766. */
const ROWS_PER_INSERT = 500;

interface NewDelivery {
  webhookId: string;
  event: WebhookMessageType;
  /** JSON. */
  data: string;
}

let made = 0;

/**
 * Inserts deliveries that are due at once, and returns their identifiers. The caller must also call wakeWebhooks().
 */
export function* insertDeliveries(deliveries: NewDelivery[], now: Timestamp): Transaction<string[]> {
  const ids = deliveries.map(() => newId('msg'));
  for (let at = 0; at < deliveries.length; at += ROWS_PER_INSERT) {
    const rows = deliveries.slice(at, at + ROWS_PER_INSERT).map(({ webhookId, event, data }, index) => {
      made += 1;
      return sql`(${ids[at + index]!}, ${webhookId}, ${made}, ${event}, ${data}, ${now}, ${now})`;
    });
    yield* all(
      sql`insert into webhook_deliveries (id, webhook_id, place, event, data, created_at, due_at)
        values ${list(rows)}`,
    );
  }
  return ids;
}

/**
 * Marks webhooks as due because they have a delivery that is due. A webhook that is claimed by a process is skipped;
 * it is checked again when the claim is settled.
 */
export function* wakeWebhooks(which: Sql<unknown>, now: Timestamp): Transaction<void> {
  yield* all(
    sql`update webhooks set due_at = ${now}
      where ${which} and holder is null and (due_at is null or due_at > ${now})`,
  );
}

/** The number of pending deliveries of each webhook. Webhooks without any are absent from the map. */
export function* pendingOf(which: Sql<unknown>): Transaction<Map<string, number>> {
  const rows = yield* all(
    sql<{ webhook_id: string; n: number }>`
      select webhook_id, count(*) as n from webhook_deliveries
      where state = 'pending' and webhook_id ${which} group by webhook_id`,
  );
  return new Map(rows.map(({ webhook_id: id, n }) => [id, n]));
}

export async function listDeliveries(
  engine: Engine,
  query: Command<'listDeliveries'>,
): Promise<Page<DeliveryRow> | null> {
  const { webhookId, accountId, state } = query;
  const matching = every([
    sql`webhook_id = ${webhookId}`,
    ...(state === undefined ? [] : [sql`state = ${state}`]),
  ]);
  return engine.transact(function* (): Transaction<Page<DeliveryRow> | null> {
    const webhook = yield* first(
      sql`select id from webhooks where id = ${webhookId} and account_id = ${accountId}`,
    );
    if (!webhook) return null;
    const count = yield* first(
      sql<{ total: number }>`select count(*) as total from webhook_deliveries where ${matching}`,
    );
    const rows = yield* all(
      sql<Delivery>`select * from webhook_deliveries where ${matching}
        order by created_at desc, place desc, id desc ${pageOf(query)}`,
    );
    return pageWith(query, count!.total, rows.map(deliveryRow));
  });
}

export async function pingWebhook(
  engine: Engine,
  { webhookId, accountId, maxPending }: Command<'pingWebhook'>,
  audit?: AuditEvent,
): Promise<Exclude<ResendOutcome, 'no-delivery'>> {
  return audited(engine, audit, function* (now, record): Transaction<Exclude<ResendOutcome, 'no-delivery'>> {
    const refusal = yield* refuseSending(engine, { webhookId, accountId, maxPending });
    if (refusal) return refusal === 'not-found' ? null : refusal;
    const [id] = yield* insertDeliveries([{ webhookId, event: 'ping', data: '{}' }], now);
    yield* wakeWebhooks(sql`id = ${webhookId}`, now);
    yield* record({ kind: 'webhook', id: webhookId });
    return deliveryRow((yield* readDelivery(webhookId, id!))!);
  });
}

export async function resendDelivery(
  engine: Engine,
  { webhookId, accountId, deliveryId, maxPending }: Command<'resendDelivery'>,
  audit?: AuditEvent,
): Promise<ResendOutcome> {
  return audited(engine, audit, function* (now, record): Transaction<ResendOutcome> {
    const refusal = yield* refuseSending(engine, { webhookId, accountId, maxPending });
    const row = yield* readDelivery(webhookId, deliveryId);
    if (refusal === 'not-found') return null;
    if (!row) return 'no-delivery';
    if (refusal) return refusal;
    if (row.claim !== null && row.due_at !== null && row.due_at > now) return deliveryRow(row);
    yield* all(
      sql`update webhook_deliveries set state = 'pending', attempts = 0, due_at = ${now}, delivered_at = null,
        claim = null where id = ${deliveryId}`,
    );
    yield* wakeWebhooks(sql`id = ${webhookId}`, now);
    yield* record({ kind: 'webhook', id: webhookId });
    return deliveryRow((yield* readDelivery(webhookId, deliveryId))!);
  });
}

/** Locks the webhook, so that concurrent messages cannot exceed the limit. */
function* refuseSending(
  { dialect }: Engine,
  { webhookId, accountId, maxPending }: { webhookId: string; accountId: string; maxPending: number },
): Transaction<'not-found' | 'not-active' | 'too-many' | null> {
  const webhook = yield* first(
    sql<Webhook>`select * from webhooks where id = ${webhookId} and account_id = ${accountId} ${dialect.forUpdate}`,
  );
  if (!webhook) return 'not-found';
  if (webhook.active === 0) return 'not-active';
  const pending = yield* pendingOf(sql`= ${webhookId}`);
  return (pending.get(webhookId) ?? 0) >= maxPending ? 'too-many' : null;
}

function* readDelivery(webhookId: string, deliveryId: string): Transaction<Delivery | undefined> {
  return yield* first(
    sql<Delivery>`
      select * from webhook_deliveries where id = ${deliveryId} and webhook_id = ${webhookId}`,
  );
}

function deliveryRow(row: Delivery): DeliveryRow {
  return {
    id: row.id,
    event: row.event,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    lastAttemptAt: row.last_attempt_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
    nextAttemptAt: row.due_at,
    deliveredAt: row.delivered_at,
  };
}
