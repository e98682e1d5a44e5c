import { describe, expect, test } from 'vitest';
import type { WebhookRow } from '../../src/store/webhooks/webhook-store.ts';
import { change, messagesOf, webhookActions } from './webhook-actions.ts';
import type { World } from './world.ts';

export function webhookTests(world: World): void {
  const { cursorOf, webhook, make, tell, claim, settle, deliveriesOf } = webhookActions(world);

  describe('webhooks', () => {
    test('are created, listed, changed and deleted separately for each account', async () => {
      const [one, two] = [await world.account(), await world.account()];
      const first = await webhook(one, { url: 'https://example.com/1' });
      world.travel(1);
      const second = await webhook(one, { url: 'https://example.com/2' });
      await webhook(two);
      const { accountId } = one;
      const own = await world.store.listWebhooks({ accountId, page: 1, pageSize: 10 });
      expect(own.items.map(({ id }) => id)).toEqual([second.id, first.id]);
      expect((await world.store.listWebhooks({ page: 1, pageSize: 10 })).total).toBe(3);
      expect(await world.store.getWebhook(first.id, accountId)).toMatchObject({
        ...{ url: 'https://example.com/1', active: true, inactiveCause: null, failingSince: null },
        ...{ accountName: one.name, events: ['device.changed', 'session.changed'] },
      });
      expect(await world.store.getWebhook(first.id, two.accountId)).toBeNull();
      const other = { webhookId: first.id, accountId: two.accountId };
      expect(await world.store.updateWebhook({ ...other, url: 'https://x.com/' }, null)).toBeNull();
      const changed = await world.store.updateWebhook(
        { webhookId: first.id, accountId, events: ['device.removed'], description: 'x' },
        null,
      );
      expect(changed).toMatchObject({ events: ['device.removed'], description: 'x', url: first.url });
      expect(await world.store.deleteWebhook(first.id, two.accountId)).toBe(false);
      expect(await world.store.deleteWebhook(first.id, accountId)).toBe(true);
      expect(await world.store.deleteWebhook(first.id, accountId)).toBe(false);
    });

    test('are limited, also for concurrent requests, and not created twice by a replay', async () => {
      const account = await world.account();
      const attempts = await Promise.all(
        Array.from({ length: 4 }, () => make(account, {}, { maxWebhooks: 2 })),
      );
      expect(attempts.filter(({ ok }) => ok)).toHaveLength(2);
      expect(attempts.find(({ ok }) => !ok)).toMatchObject({
        refusal: { why: 'quota', shortfall: { kind: 'webhooks', limit: 2, used: 2 } },
      });
      const other = await world.account();
      const idempotency = { key: 'k', fingerprint: 'f' };
      const made = await make(other, {}, { idempotency });
      const again = await make(other, {}, { idempotency });
      expect(again).toEqual({ ...made, replayed: true });
      const another = await make(other, {}, { idempotency: { key: 'k', fingerprint: 'g' } });
      expect(another).toMatchObject({ ok: false, refusal: { why: 'idempotency-conflict' } });
    });

    test('start at the log position before the first webhook, and do not read the log if there are none', async () => {
      const account = await world.account();
      const startAt = await cursorOf();
      const made = await webhook(account);
      expect(await world.store.getWebhookWork()).toEqual({ cursor: startAt, listening: 1, isDue: false });
      await world.report([{ id: 'd1' }]);
      await webhook(account);
      expect((await world.store.getWebhookWork()).cursor).toBe(startAt);
      const stop = { from: startAt, to: null, messagesFor: () => [], missed: false, maxPending: 1 };
      expect(await world.store.fanOut(stop)).toBe(false);
      for (const { id } of (await world.store.listWebhooks({ page: 1, pageSize: 10 })).items)
        await world.store.updateWebhook({ webhookId: id, active: false }, null);
      expect(await world.store.fanOut(stop)).toBe(true);
      expect(await world.store.getWebhookWork()).toMatchObject({ cursor: null, listening: 0 });
      const now = await cursorOf();
      await world.store.updateWebhook({ webhookId: made.id, active: true }, now);
      expect((await world.store.getWebhookWork()).cursor).toBe(now);
    });
  });

  describe('webhook messages', () => {
    test('are created once for each subscribed webhook, whichever process moves the cursor', async () => {
      const [one, two] = [await world.account(), await world.account()];
      const all = await webhook(one);
      const sessions = await webhook(two, { events: ['session.changed'] });
      const off = await webhook(two);
      await world.store.updateWebhook({ webhookId: off.id, active: false }, null);
      const from = (await world.store.getWebhookWork()).cursor;
      await world.report([{ id: 'd1' }]);
      const step = { from, to: await cursorOf(), missed: false, maxPending: 100 };
      const messagesFor = messagesOf([change(1), change(2, one.accountId), change(3, two.accountId)]);
      const moved = await Promise.all(
        Array.from({ length: 3 }, () => world.store.fanOut({ ...step, messagesFor })),
      );
      expect(moved.filter(Boolean)).toHaveLength(1);
      const eventsOf = async (row: WebhookRow) => (await deliveriesOf(row)).map(({ event }) => event);
      expect(await eventsOf(all)).toEqual(['session.changed', 'device.changed']);
      expect(await eventsOf(sessions)).toEqual(['session.changed']);
      expect(await eventsOf(off)).toEqual([]);
      const data = (await claim()).flatMap(({ deliveries }) => deliveries.map((one) => one.data));
      expect(data.sort()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    });

    test('are not created for a disabled account', async () => {
      const account = await world.account();
      await webhook(account);
      await tell([change(1)]);
      await world.store.updateAccount({ accountId: account.accountId, disabled: true });
      expect(await claim()).toEqual([]);
      expect(await world.store.getWebhookWork()).toMatchObject({ listening: 0, isDue: false });
      await world.store.updateAccount({ accountId: account.accountId, disabled: false });
      expect(await claim()).toHaveLength(1);
    });

    test('that were missed are replaced by one reset', async () => {
      const made = await webhook(await world.account(), { events: ['session.changed'] });
      await tell([], { missed: true });
      expect(await deliveriesOf(made)).toMatchObject([{ event: 'reset', state: 'pending' }]);
    });

    test('above the limit of pending messages are replaced by a reset once there is room', async () => {
      const made = await webhook(await world.account());
      await tell([change(1), change(2), change(3)], { maxPending: 2 });
      await tell([change(4)], { maxPending: 2 });
      const [first] = await claim();
      expect(first!.deliveries.map(({ data }) => data)).toEqual(['{"n":1}', '{"n":2}']);
      await settle(first!);
      await tell([change(5)], { maxPending: 2 });
      const [next] = await claim();
      expect(next!.deliveries.map(({ event }) => event)).toEqual(['reset', 'device.changed']);
      expect(await deliveriesOf(made)).toHaveLength(4);
    });
  });
}
