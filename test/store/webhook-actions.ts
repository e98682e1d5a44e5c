import { expect } from 'vitest';
import type { WebhookEvent } from '../../src/contract/events/webhook.ts';
import type { WebhookClaim, WebhookMessage, WebhookRow } from '../../src/store/webhooks/webhook-store.ts';
import type { Account, World } from './world.ts';

export const LEASE = 15_000;
export const SECRET = Buffer.alloc(32, 7);

/** A change to report to one account, or to all accounts if `accountId` is null. */
interface Change extends WebhookMessage {
  accountId: string | null;
}
export const change = (n: number, accountId: string | null = null): Change => ({
  ...{ event: accountId ? 'session.changed' : 'device.changed', accountId, data: JSON.stringify({ n }) },
});
export const messagesOf = (changes: Change[]) => (id: string) =>
  changes.filter(({ accountId }) => accountId === null || accountId === id);

/** Helpers for the tests of webhooks, in addition to the store's own methods. */
export function webhookActions(world: World) {
  const cursorOf = async () => (await world.store.readEvents(null, 1)).cursor;

  async function webhook(account: Account, more: { url?: string; events?: WebhookEvent[] } = {}) {
    const outcome = await make(account, more);
    if (!outcome.ok) throw new Error(outcome.refusal.why);
    return outcome.created;
  }
  const make = async (
    { accountId }: Account,
    { url = 'https://example.com/', events = ['device.changed', 'session.changed'] as WebhookEvent[] } = {},
    more: { maxWebhooks?: number; idempotency?: { key: string; fingerprint: string } } = {},
  ) =>
    world.store.createWebhook({
      webhook: { accountId, url, events, description: null, secret: SECRET },
      ...{ maxWebhooks: 20, startAt: await cursorOf(), idempotency: null, ...more },
    });

  /** Creates webhook messages as if events had caused them. */
  async function tell(changes: Change[], more: { missed?: boolean; maxPending?: number } = {}) {
    const { cursor } = await world.store.getWebhookWork();
    const step = { from: cursor, to: await cursorOf(), missed: false, maxPending: 100, ...more };
    expect(await world.store.fanOut({ ...step, messagesFor: messagesOf(changes) })).toBe(true);
  }
  const claim = (more: { webhooks?: number; perWebhook?: number } = {}) =>
    world.store.claimDeliveries({ webhooks: 10, perWebhook: 10, leaseMs: LEASE, ...more });
  const settle = (
    { webhookId, claim, deliveries }: WebhookClaim,
    outcome: { status?: number | null; error?: string | null; retryInMs?: number | null } = {},
    giveUp: string | null = null,
  ) =>
    world.store.settleDeliveries({
      ...{ webhookId, claim, giveUp },
      outcomes: deliveries.map(({ id }) => ({ id, status: 204, error: null, retryInMs: null, ...outcome })),
    });
  const failed = (retryInMs: number | null) => ({ status: 500, error: 'answered 500', retryInMs });
  const deliveriesOf = async ({ id, accountId }: WebhookRow) =>
    (await world.store.listDeliveries({ webhookId: id, accountId, page: 1, pageSize: 100 }))!.items;
  return { cursorOf, webhook, make, tell, claim, settle, failed, deliveriesOf };
}
