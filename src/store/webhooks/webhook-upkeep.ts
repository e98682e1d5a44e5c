import { all, type Engine, first, sql, type Transaction } from '../engine/engine.ts';
import { countUpTo } from '../engine/paging.ts';
import type { Timestamp } from '../entities.ts';
import type { WebhookStore } from './webhook-store.ts';

type Bounds = Parameters<WebhookStore['trimDeliveries']>[0];

/** Number of webhooks whose deliveries one call counts. */
const WEBHOOKS_PER_LOOK = 20;

export async function trimDeliveries(
  engine: Engine,
  { maxAgeMs, maxPerWebhook, limit, after }: Bounds,
): Promise<{ removed: number; next: string | null }> {
  const before = sql`${engine.dialect.currentTime()} - ${maxAgeMs}`;
  const old = await engine.run(
    sql`delete from webhook_deliveries where id in (
        select id from webhook_deliveries where created_at < ${before} order by created_at limit ${limit})
      returning id`,
  );
  const looked = await engine.run(
    sql<{ id: string }>`
      select id from webhooks where id > ${after ?? ''} order by id limit ${WEBHOOKS_PER_LOOK}`,
  );
  let removed = old.length;
  for (const { id } of looked) removed += await trimWebhook(engine, id, maxPerWebhook, limit);
  return { removed, next: looked.length === WEBHOOKS_PER_LOOK ? looked.at(-1)!.id : null };
}

/** Deletes finished deliveries only. Pending ones are bounded when they are created. */
function trimWebhook(engine: Engine, webhookId: string, keep: number, limit: number): Promise<number> {
  return engine.transact(function* (): Transaction<number> {
    const oldest = yield* first(
      sql<{ created_at: Timestamp; place: number }>`
        select created_at, place from webhook_deliveries where webhook_id = ${webhookId}
        order by created_at desc, place desc, id desc limit 1 offset ${keep - 1}`,
    );
    if (!oldest) return 0;
    const removed = yield* all(
      sql`delete from webhook_deliveries where id in (
          select id from webhook_deliveries where webhook_id = ${webhookId} and state <> 'pending'
            and (created_at, place) < (${oldest.created_at}, ${oldest.place})
          order by created_at, place limit ${limit})
        returning id`,
    );
    return removed.length;
  });
}

export async function getWebhookBacklog(engine: Engine): Promise<{ pending: number; overdueMs: number }> {
  return engine.transact(function* (now): Transaction<{ pending: number; overdueMs: number }> {
    const count = yield* first(countUpTo(sql`webhook_deliveries where state = 'pending'`));
    const due = yield* first(
      sql<{ since: Timestamp | null }>`
        select min(due_at) as since from webhooks where active = 1 and due_at is not null`,
    );
    return { pending: count!.total, overdueMs: due?.since == null ? 0 : Math.max(0, now - due.since) };
  });
}
