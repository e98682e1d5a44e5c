import { randomBytes } from 'node:crypto';
import { MAX_PENDING_DELIVERIES } from '../../contract/events/webhook.ts';
import { all, type Dialect, type Engine, first, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { Timestamp } from '../entities.ts';
import { insertDeliveries, pendingOf } from './webhook-deliveries.ts';
import type { DeliveryOutcome, WebhookClaim, WebhookStore } from './webhook-store.ts';

type Webhook = Tables['webhooks'];
type Delivery = Tables['webhook_deliveries'];
type Options = Parameters<WebhookStore['claimDeliveries']>[0];
type Settlement = Parameters<WebhookStore['settleDeliveries']>[0];

/**
 * A process claims a webhook rather than a single delivery. A receiver therefore never has more deliveries in
 * progress than one claim holds, however many processes run, and the long queue of one webhook does not delay other
 * webhooks.
 */
export async function claimDeliveries(engine: Engine, options: Options): Promise<WebhookClaim[]> {
  const { dialect } = engine;
  return engine.transact(function* (now): Transaction<WebhookClaim[]> {
    const due = yield* all(
      sql<Webhook>`
        select * from webhooks where active = 1 and due_at <= ${now}
          and account_id in (select id from accounts where disabled_at is null)
        order by due_at limit ${options.webhooks} ${dialect.forUpdateSkipLocked}`,
    );
    const claims: WebhookClaim[] = [];
    for (const webhook of due) {
      const claim = yield* claimOne(dialect, webhook, options, now);
      if (claim) claims.push(claim);
    }
    return claims;
  });
}

function* claimOne(
  dialect: Dialect,
  webhook: Webhook,
  { perWebhook, leaseMs }: Options,
  now: Timestamp,
): Transaction<WebhookClaim | null> {
  const deliveries = yield* all(
    sql<Delivery>`
      select * from webhook_deliveries where webhook_id = ${webhook.id} and state = 'pending' and due_at <= ${now}
      order by due_at, place limit ${perWebhook}`,
  );
  if (deliveries.length === 0) {
    yield* release(webhook.id);
    return null;
  }
  const claim = randomBytes(12).toString('base64url');
  yield* all(
    sql`update webhook_deliveries
      set claim = ${claim}, attempts = attempts + 1, last_attempt_at = ${now}, due_at = ${now + leaseMs}
      where id ${dialect.isOneOf(deliveries.map(({ id }) => id))}`,
  );
  yield* all(sql`update webhooks set holder = ${claim}, due_at = ${now + leaseMs} where id = ${webhook.id}`);
  const { previous_secret: previous, previous_until: until } = webhook;
  return {
    webhookId: webhook.id,
    claim,
    url: webhook.url,
    secrets: [webhook.secret, ...(previous && until !== null && until > now ? [previous] : [])],
    failingForMs: webhook.failing_since === null ? 0 : now - webhook.failing_since,
    deliveries: deliveries.map(({ id, event, data, created_at, attempts }) => ({
      id,
      event,
      data,
      createdAt: created_at,
      attempts: attempts + 1,
    })),
  };
}

/** Releases the claim and schedules the webhook for its next pending delivery. */
function* release(webhookId: string): Transaction<void> {
  yield* all(
    sql`update webhooks set holder = null, due_at = (
        select min(due_at) from webhook_deliveries where webhook_id = ${webhookId} and state = 'pending')
      where id = ${webhookId}`,
  );
}

export async function settleDeliveries(engine: Engine, settlement: Settlement): Promise<boolean> {
  const { webhookId, claim, outcomes, giveUp } = settlement;
  return engine.transact(function* (now): Transaction<boolean> {
    const webhook = yield* first(
      sql<Webhook>`
        select * from webhooks where id = ${webhookId} and holder = ${claim} ${engine.dialect.forUpdate}`,
    );
    if (!webhook) return false;
    for (const outcome of outcomes) yield* settleOne(claim, outcome, now);
    const failingSince = outcomes.some(({ error }) => error === null)
      ? null
      : (webhook.failing_since ?? (outcomes.length > 0 ? now : null));
    yield* all(sql`update webhooks set failing_since = ${failingSince} where id = ${webhookId}`);
    if (giveUp !== null && webhook.active === 1) {
      yield* all(
        sql`update webhooks set active = 0, inactive_cause = 'receiver', inactive_reason = ${giveUp}
          where id = ${webhookId}`,
      );
    }
    if (webhook.missed === 1) yield* deliverReset(webhookId, now);
    yield* release(webhookId);
    return true;
  });
}

function* settleOne(
  claim: string,
  { id, status, error, retryInMs }: DeliveryOutcome,
  now: Timestamp,
): Transaction<void> {
  const state = error === null ? 'delivered' : retryInMs === null ? 'dead' : 'pending';
  const dueAt = state === 'pending' ? now + (retryInMs ?? 0) : null;
  yield* all(
    sql`update webhook_deliveries set state = ${state}, claim = null, due_at = ${dueAt}, last_status = ${status},
      last_error = ${error}, delivered_at = ${state === 'delivered' ? now : null}
      where id = ${id} and claim = ${claim}`,
  );
}

function* deliverReset(webhookId: string, now: Timestamp): Transaction<void> {
  const pending = yield* pendingOf(sql`= ${webhookId}`);
  if ((pending.get(webhookId) ?? 0) > MAX_PENDING_DELIVERIES / 2) return;
  yield* insertDeliveries([{ webhookId, event: 'reset', data: '{}' }], now);
  yield* all(sql`update webhooks set missed = 0 where id = ${webhookId}`);
}
