import { describe, expect, test } from 'vitest';
import type { WebhookClaim } from '../../src/store/webhooks/webhook-store.ts';
import { promised } from '../nightly.ts';
import { change, LEASE, messagesOf, SECRET, webhookActions } from './webhook-actions.ts';
import { MINUTE, type World } from './world.ts';

export function deliveryTests(world: World): void {
  const { cursorOf, webhook, tell, claim, settle, failed, deliveriesOf } = webhookActions(world);

  describe('webhook deliveries', () => {
    test('of one webhook are claimed by one process at a time, in order and up to a limit', async () => {
      await webhook(await world.account());
      await tell([1, 2, 3, 4, 5].map((n) => change(n)));
      const taken = (await Promise.all([claim({ perWebhook: 2 }), claim({ perWebhook: 2 })])).flat();
      expect(taken).toHaveLength(1);
      expect(taken[0]).toMatchObject({ url: 'https://example.com/', failingForMs: 0 });
      expect(taken[0]!.secrets.map((secret) => Buffer.from(secret))).toEqual([SECRET]);
      expect(taken[0]!.deliveries.map(({ data, attempts }) => [data, attempts])).toEqual([
        ['{"n":1}', 1],
        ['{"n":2}', 1],
      ]);
      await tell([change(6)]);
      expect(await claim()).toEqual([]);
      expect((await world.store.getWebhookWork()).isDue).toBe(false);
      expect(await settle(taken[0]!)).toBe(true);
      expect((await world.store.getWebhookWork()).isDue).toBe(true);
      expect((await claim())[0]!.deliveries.map(({ data }) => data)).toEqual(
        [3, 4, 5, 6].map((n) => `{"n":${n}}`),
      );
    });

    test('of a dead process are claimed by another when the lease expires, and the dead process cannot settle them', async () => {
      const made = await webhook(await world.account());
      await tell([change(1)]);
      const [lost] = await claim();
      world.travel(1);
      expect(await claim()).toEqual([]);
      world.travel(LEASE);
      const [taken] = await claim();
      expect(taken!.deliveries).toMatchObject([{ id: lost!.deliveries[0]!.id, attempts: 2 }]);
      expect(await settle(lost!, failed(null))).toBe(false);
      expect(await deliveriesOf(made)).toMatchObject([{ state: 'pending', attempts: 2 }]);
      expect(await settle(taken!)).toBe(true);
      expect(await deliveriesOf(made)).toMatchObject([
        { state: 'delivered', lastStatus: 204, lastError: null },
      ]);
      expect(await claim()).toEqual([]);
    });

    test('that fail are retried when due or never, without delaying other webhooks', async () => {
      const account = await world.account();
      const made = await webhook(account);
      await tell([change(1), change(2)]);
      const [taken] = await claim({ perWebhook: 1 });
      await settle(taken!, failed(MINUTE));
      expect(await deliveriesOf(made)).toMatchObject([
        { state: 'pending', attempts: 0 },
        { state: 'pending', attempts: 1, lastStatus: 500, lastError: 'answered 500' },
      ]);
      const [second] = await claim();
      expect(second!.deliveries.map(({ data }) => data)).toEqual(['{"n":2}']);
      await settle(second!, failed(null));
      expect((await deliveriesOf(made))[0]).toMatchObject({ state: 'dead', nextAttemptAt: null });
      expect(await claim()).toEqual([]);
      expect(await world.store.getWebhookBacklog()).toEqual({ pending: 1, overdueMs: 0 });
      world.travel(MINUTE + 1_000);
      const { pending, overdueMs } = await world.store.getWebhookBacklog();
      expect(pending).toBe(1);
      expect(overdueMs).toBeGreaterThanOrEqual(1_000);
      const [again] = await claim();
      expect(again).toMatchObject({ deliveries: [{ data: '{"n":1}', attempts: 2 }] });
      expect(again!.failingForMs).toBeGreaterThanOrEqual(MINUTE);
      await settle(again!);
      expect(await world.store.getWebhook(made.id, account.accountId)).toMatchObject({ failingSince: null });
    });

    test('stop when the receiver is given up, and resume with a reset when the webhook is active again', async () => {
      const account = await world.account();
      const made = await webhook(account);
      await tell([change(1)]);
      const [taken] = await claim();
      await settle(taken!, failed(5_000), 'it is gone');
      expect(await world.store.getWebhook(made.id, account.accountId)).toMatchObject({
        ...{ active: false, inactiveCause: 'receiver', inactiveReason: 'it is gone' },
      });
      world.travel(MINUTE);
      await tell([]);
      expect(await claim()).toEqual([]);
      await world.store.updateWebhook({ webhookId: made.id, active: true }, await cursorOf());
      const [resumed] = await claim();
      expect(resumed!.deliveries.map(({ event }) => event)).toEqual(['device.changed', 'reset']);
      expect(resumed!.failingForMs).toBe(0);
    });

    test('cannot be resumed by the account if an operator stopped the webhook', async () => {
      const account = await world.account();
      const { id: webhookId } = await webhook(account);
      const { accountId } = account;
      const stop = { webhookId, active: false, cause: 'operator' as const, reason: 'too loud' };
      expect(await world.store.updateWebhook(stop, null)).toMatchObject({ inactiveReason: 'too loud' });
      await world.store.updateWebhook({ webhookId, accountId, active: false }, null);
      expect(await world.store.updateWebhook({ webhookId, accountId, active: true }, null)).toBe('blocked');
      expect(await world.store.getWebhook(webhookId, accountId)).toMatchObject({ inactiveCause: 'operator' });
      expect(await world.store.updateWebhook({ webhookId, active: true }, null)).toMatchObject({
        active: true,
      });
    });

    test('are redelivered on request, except while an attempt is pending', async () => {
      const account = await world.account();
      const made = await webhook(account);
      const ids = { webhookId: made.id, accountId: account.accountId, maxPending: 2 };
      const pinged = await world.store.pingWebhook(ids);
      expect(pinged).toMatchObject({ event: 'ping', state: 'pending', attempts: 0 });
      const deliveryId = (pinged as { id: string }).id;
      const resend = () => world.store.resendDelivery({ ...ids, deliveryId });
      const [taken] = await claim();
      expect(await resend()).toMatchObject({ attempts: 1 });
      expect(await claim()).toEqual([]);
      await settle(taken!, failed(null));
      expect(await resend()).toMatchObject({ id: deliveryId, state: 'pending', attempts: 0 });
      const [again] = await claim();
      expect(again!.deliveries).toMatchObject([{ id: deliveryId, attempts: 1 }]);
      await settle(again!);
      await world.store.pingWebhook(ids);
      await world.store.pingWebhook(ids);
      expect(await world.store.pingWebhook(ids)).toBe('too-many');
      expect(await resend()).toBe('too-many');
      expect(await world.store.resendDelivery({ ...ids, deliveryId: 'msg_none' })).toBe('no-delivery');
      const other = { ...ids, accountId: (await world.account()).accountId };
      expect(await world.store.pingWebhook(other)).toBeNull();
      expect(await world.store.resendDelivery({ ...other, deliveryId })).toBeNull();
      await world.store.updateWebhook({ webhookId: made.id, active: false }, null);
      expect(await world.store.pingWebhook(ids)).toBe('not-active');
    });

    test('carry both secrets for a period after a rotation', async () => {
      const account = await world.account();
      const { id: webhookId } = await webhook(account);
      const { accountId } = account;
      const secret = Buffer.alloc(32, 9);
      const rotate = { webhookId, accountId, secret, overlapMs: MINUTE };
      expect(await world.store.rotateWebhookSecret({ ...rotate, accountId: 'acc_other' })).toBeNull();
      const rotated = await world.store.rotateWebhookSecret(rotate);
      expect(Math.abs(rotated!.previousSecretUntil! - world.now() - MINUTE)).toBeLessThan(promised(10_000));
      await tell([change(1)]);
      const secretsOf = ({ secrets }: WebhookClaim) => secrets.map((one) => Buffer.from(one));
      const [both] = await claim();
      expect(secretsOf(both!)).toEqual([secret, SECRET]);
      await settle(both!);
      world.travel(MINUTE + 1);
      await tell([change(2)]);
      expect(secretsOf((await claim())[0]!)).toEqual([secret]);
      expect((await world.store.getWebhook(webhookId, accountId))!.previousSecretUntil).toBeNull();
    });

    test('are deleted when they are old or too many for their webhook, but not while they are pending', async () => {
      const account = await world.account();
      const made = await webhook(account);
      const bounds = { maxAgeMs: 60 * MINUTE, maxPerWebhook: 3, limit: 100, after: null };
      await tell([1, 2, 3, 4, 5].map((n) => change(n)));
      expect(await world.store.trimDeliveries(bounds)).toEqual({ removed: 0, next: null });
      await settle((await claim())[0]!);
      expect((await world.store.trimDeliveries(bounds)).removed).toBe(2);
      expect(await deliveriesOf(made)).toHaveLength(3);
      world.travel(61 * MINUTE);
      expect((await world.store.trimDeliveries({ ...bounds, limit: 2 })).removed).toBe(2);
      expect((await world.store.trimDeliveries(bounds)).removed).toBe(1);
      expect(await deliveriesOf(made)).toEqual([]);
      await tell([change(6)]);
      expect(await world.store.deleteWebhook(made.id, account.accountId)).toBe(true);
      expect(await claim()).toEqual([]);
    });

    test('are never lost by concurrent producers and consumers', async () => {
      const accounts = await Promise.all([world.account(), world.account(), world.account()]);
      const webhooks = await Promise.all(accounts.map((account) => webhook(account)));
      let count = 0;
      const writer = async () => {
        for (let round = 0; round < 10; round += 1) {
          const { cursor } = await world.store.getWebhookWork();
          await world.report([{ id: `d${round}` }], { complete: false });
          const step = { from: cursor, to: await cursorOf(), missed: false, maxPending: 1_000 };
          const messagesFor = messagesOf([change(count), change(count)]);
          if (await world.store.fanOut({ ...step, messagesFor })) count += 2;
        }
      };
      const seen: string[] = [];
      let isWriting = true;
      const worker = async () => {
        while (isWriting || (await world.store.getWebhookWork()).isDue) {
          for (const taken of await claim({ webhooks: 2, perWebhook: 2 })) {
            seen.push(...taken.deliveries.map(({ id }) => id));
            await settle(taken);
          }
          await new Promise(setImmediate);
        }
      };
      const workers = [worker(), worker(), worker()];
      await Promise.all([writer(), writer()]);
      isWriting = false;
      await Promise.all(workers);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toHaveLength(count * webhooks.length);
      expect((await world.store.getWebhookBacklog()).pending).toBe(0);
    });
  });
}
