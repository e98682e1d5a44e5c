import type { WebhookEvent } from '../../contract/events/webhook.ts';
import type { Groups } from '../../domain/visibility.ts';
import { byAccount, membershipsOf } from '../devices/visibility.ts';
import { all, type Dialect, type Engine, first, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { Timestamp } from '../entities.ts';
import { insertDeliveries, pendingOf, wakeWebhooks } from './webhook-deliveries.ts';
import type { WebhookMessage, WebhookStore } from './webhook-store.ts';

type Webhook = Tables['webhooks'];
type Step = Parameters<WebhookStore['fanOut']>[0];

const RESET: WebhookMessage = { event: 'reset', data: '{}' };
const NO_GROUPS: Groups = new Set();

/** Webhooks that receive events: active ones of accounts that are not disabled. */
const LISTENS = sql`active = 1 and account_id in (select id from accounts where disabled_at is null)`;

export async function getWebhookWork(
  engine: Engine,
): Promise<{ cursor: string | null; listening: number; isDue: boolean }> {
  const now = engine.dialect.currentTime();
  const [row] = await engine.run(
    sql<{ cursor: string | null; listening: number; due: number }>`
      select cursor, (select count(*) from webhooks where ${LISTENS}) as listening,
        (select count(*) from (select 1 from webhooks where ${LISTENS} and due_at <= ${now} limit 1) one) as due
      from webhook_fan_out where id = 1`,
  );
  return { cursor: row!.cursor, listening: row!.listening, isDue: row!.due > 0 };
}

/**
 * Sets the cursor to `startAt` for the first webhook that listens. If others already listen, their cursor is kept.
 * The cursor is locked before any webhook, in the lock order that every transaction keeps.
 */
export function* beginListening(
  dialect: Dialect,
  startAt: string,
  webhookId: string | null,
): Transaction<void> {
  const cursor = yield* lockCursor(dialect);
  const other = yield* first(
    sql`select 1 as one from webhooks where ${LISTENS} and id <> ${webhookId ?? ''} limit 1`,
  );
  if (cursor !== null && other) return;
  yield* all(sql`update webhook_fan_out set cursor = ${startAt} where id = 1`);
}

function* lockCursor(dialect: Dialect): Transaction<string | null> {
  const row = yield* first(
    sql<{ cursor: string | null }>`select cursor from webhook_fan_out where id = 1 ${dialect.forUpdate}`,
  );
  return row!.cursor;
}

export async function fanOut(engine: Engine, step: Step): Promise<boolean> {
  return engine.transact(function* (now): Transaction<boolean> {
    if ((yield* lockCursor(engine.dialect)) !== step.from) return false;
    const listeners = yield* all(sql<Webhook>`select * from webhooks where ${LISTENS} order by id`);
    if (step.to === null && listeners.length > 0) return false;
    const messagesFor = yield* messagesOf(engine, listeners, step);
    const wanted = new Map(
      listeners.map((webhook) => [webhook.id, wantedBy(webhook, messagesFor.get(webhook.account_id)!)]),
    );
    for (const [id, messages] of wanted) if (messages.length === 0) wanted.delete(id);
    if (wanted.size > 0) yield* deliverTo(engine, wanted, step.maxPending, now);
    yield* all(sql`update webhook_fan_out set cursor = ${step.to} where id = 1`);
    return true;
  });
}

/** The messages by account, computed once for all webhooks of the account. */
function* messagesOf(
  engine: Engine,
  listeners: Webhook[],
  { messagesFor, missed }: Step,
): Transaction<Map<string, WebhookMessage[]>> {
  const accountIds = [...new Set(listeners.map(({ account_id }) => account_id))];
  if (missed) return new Map(accountIds.map((id) => [id, [RESET]]));
  const groups = byAccount(yield* all(membershipsOf(engine, accountIds)));
  return new Map(accountIds.map((id) => [id, messagesFor(id, groups.get(id) ?? NO_GROUPS)]));
}

/** `reset` is delivered regardless of the subscribed events. */
function wantedBy(webhook: Webhook, messages: WebhookMessage[]): WebhookMessage[] {
  const events: string[] = [...(JSON.parse(webhook.events) as WebhookEvent[]), RESET.event];
  return messages.filter(({ event }) => events.includes(event));
}

/**
 * If the messages exceed the room left, the webhook is marked as having missed events. It receives `reset` once half
 * of its pending deliveries are done.
 */
function* deliverTo(
  { dialect }: Engine,
  wanted: ReadonlyMap<string, WebhookMessage[]>,
  maxPending: number,
  now: Timestamp,
): Transaction<void> {
  const which = dialect.isOneOf([...wanted.keys()]);
  const webhooks = yield* all(
    sql<Webhook>`select * from webhooks where id ${which} and active = 1 order by id ${dialect.forUpdate}`,
  );
  const pending = yield* pendingOf(which);
  const overfull: string[] = [];
  const deliveries = webhooks.flatMap(({ id, missed }) => {
    const messages = missed ? [] : wanted.get(id)!;
    const room = maxPending - (pending.get(id) ?? 0);
    if (messages.length > room) overfull.push(id);
    return messages.slice(0, Math.max(0, room)).map(({ event, data }) => ({ webhookId: id, event, data }));
  });
  yield* insertDeliveries(deliveries, now);
  yield* wakeWebhooks(sql`id ${which}`, now);
  if (overfull.length > 0)
    yield* all(sql`update webhooks set missed = 1 where id ${dialect.isOneOf(overfull)}`);
}
