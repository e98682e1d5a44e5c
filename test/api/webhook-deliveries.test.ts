import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../src/client/verify-webhook.ts';
import { GIVE_UP_AFTER_MS, MAX_ATTEMPTS, retryDelayMs } from '../../src/domain/webhook-retries.ts';
import { until } from '../black-box/kit/wait.ts';
import { expectedSignature, WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { promised } from '../nightly.ts';
import {
  begin,
  client,
  clientOf,
  deliveriesOf,
  delivery,
  first,
  opened,
  own,
  pinged,
  receiver,
  rig,
  startSession,
} from './kit/webhook-rig.ts';

const HOUR = 3_600_000;

describe('webhook deliveries', () => {
  beforeEach(() => begin());
  afterEach(() => opened.disposeAsync());

  test('report phones and own sessions with a signature by the specification and without secrets', async () => {
    const { secret, ...webhook } = await client.webhooks.create({ url: receiver.url });
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    const theirs = clientOf((await rig.key()).key);
    const elsewhere = opened.use(await WebhookReceiver.start());
    await theirs.webhooks.create({ url: elsewhere.url, events: ['session.changed'] });
    const sessionId = await startSession();
    const received = await first('session.changed');
    expect(received.headers['webhook-signature']).toBe(expectedSignature(secret!, received));
    const { type, data, timestamp } = received.message;
    expect({ type, id: data.session_id, status: data.status }).toEqual({
      ...{ type: 'session.changed', id: sessionId, status: 'connecting' },
    });
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(30_000);
    expect(received.headers).toMatchObject({ 'content-type': 'application/json', connection: 'close' });
    for (const hidden of ['stream_url', 'control_url', own.key, 'wss://'])
      expect(received.body).not.toContain(hidden);
    expect(await verifyWebhook(secret!, received.headers, received.body)).toEqual(received.message);
    expect((await first('device.changed')).message.data).toMatchObject({ id: 'd1' });
    await until('all to be delivered', async () =>
      (await deliveriesOf(webhook)).every(({ state }) => state === 'delivered'),
    );
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(receiver.received.length);
    expect(elsewhere.received).toEqual([]);
  });

  test('are retried after a 500 with the same id and body until they succeed', async () => {
    receiver.answers = [500, 503, 200];
    const { webhook, sent } = await pinged();
    const failed = await delivery(
      webhook,
      ({ attempts, last_status }) => attempts === 1 && last_status !== null,
    );
    expect(failed).toMatchObject({
      state: 'pending',
      last_status: 500,
      last_error: 'the receiver answered 500',
    });
    const wait = Date.parse(failed.next_attempt_at!) - Date.parse(failed.last_attempt_at!);
    expect(wait).toBeGreaterThanOrEqual(4_000);
    // At most six seconds plus the duration of the attempt itself. The wait after the next attempt is at least twenty
    // seconds.
    expect(wait).toBeLessThan(promised(15_000));
    expect((await client.webhooks.get(webhook.id)).failing_since).not.toBeNull();
    rig.travel(wait);
    await delivery(webhook, ({ last_status }) => last_status === 503);
    rig.travel(31_000);
    const done = await delivery(webhook, ({ state }) => state === 'delivered');
    expect(done).toMatchObject({
      id: sent.id,
      attempts: 3,
      last_status: 200,
      last_error: null,
      next_attempt_at: null,
    });
    expect(receiver.received.map(({ id }) => id)).toEqual([sent.id, sent.id, sent.id]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect((await client.webhooks.get(webhook.id)).failing_since).toBeNull();
  });

  test('resume when an unreachable receiver is back', async () => {
    const { port, url } = receiver;
    await receiver[Symbol.asyncDispose]();
    const { webhook, sent } = await pinged(url);
    const failed = await delivery(webhook, ({ last_error }) => last_error !== null);
    expect(failed).toMatchObject({
      state: 'pending',
      last_status: null,
      last_error: 'the receiver refused the connection',
    });
    const back = opened.use(await WebhookReceiver.start(port));
    rig.travel(7_000);
    expect((await first('ping', back)).id).toBe(sent.id);
  });

  test('fail permanently after eight attempts, and can be redelivered once on request', async () => {
    receiver.answers = [500];
    const { webhook, sent } = await pinged();
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      // On a slow machine the second attempt may happen before the clock is advanced.
      await delivery(
        webhook,
        (row) => row.attempts >= attempt && row.last_status === 500 && row.state === 'pending',
      );
      await until('the attempt to be settled', async () => {
        const [row] = await deliveriesOf(webhook);
        return (
          Date.parse(row!.next_attempt_at!) - Date.parse(row!.last_attempt_at!) >= retryDelayMs(attempt, 0)!
        );
      });
      rig.travel(retryDelayMs(attempt, 1)! + 1_000);
    }
    const dead = await delivery(webhook, ({ state }) => state === 'dead');
    expect(dead).toMatchObject({ attempts: MAX_ATTEMPTS, next_attempt_at: null, delivered_at: null });
    expect(receiver.received).toHaveLength(MAX_ATTEMPTS);
    expect((await client.webhooks.deliveries(webhook.id, { state: 'dead' })).total).toBe(1);
    receiver.answers = [200];
    expect(await client.webhooks.redeliver(webhook.id, sent.id)).toMatchObject({
      state: 'pending',
      attempts: 0,
    });
    await delivery(webhook, ({ state }) => state === 'delivered');
    expect(receiver.received.at(-1)!.id).toBe(sent.id);
  });

  test('stop immediately if a receiver answers 410, and resume with a reset', async () => {
    receiver.answers = [410];
    const { webhook } = await pinged();
    const gone = await until('the webhook to be disabled', async () => {
      const row = await client.webhooks.get(webhook.id);
      return row.active ? null : row;
    });
    expect(gone).toMatchObject({ inactive_cause: 'receiver' });
    expect(gone.inactive_reason).toContain('410');
    await expect(client.webhooks.test(webhook.id)).rejects.toMatchObject({ code: 40000 });
    receiver.answers = [204];
    expect(await client.webhooks.update(webhook.id, { active: true })).toMatchObject({
      ...{ active: true, inactive_cause: null, inactive_reason: null, failing_since: null },
    });
    await first('reset');
  });

  test('stop after days without a successful delivery', async () => {
    receiver.answers = [500];
    const { webhook } = await pinged();
    await delivery(webhook, ({ last_status }) => last_status === 500);
    rig.travel(GIVE_UP_AFTER_MS + HOUR);
    const row = await until('the webhook to be disabled', async () => {
      const found = await client.webhooks.get(webhook.id);
      return found.active ? null : found;
    });
    expect(row).toMatchObject({
      inactive_cause: 'receiver',
      inactive_reason: expect.stringContaining('5 days'),
    });
  });

  test('are paused while the webhook is inactive, and resume with a reset', async () => {
    const webhook = await client.webhooks.create({ url: receiver.url });
    await client.webhooks.update(webhook.id, { active: false });
    await startSession();
    const second = await client.webhooks.create({ url: receiver.url });
    await client.webhooks.test(second.id);
    await first('ping');
    expect(receiver.received).toHaveLength(1);
    await client.webhooks.update(webhook.id, { active: true });
    await first('reset');
    expect(receiver.ofType('session.changed')).toEqual([]);
  });

  test('follow no redirect and read a bounded part of the response', async () => {
    const target = opened.use(await WebhookReceiver.start());
    receiver.answers = [
      (response) => void response.writeHead(307, { location: target.url }).end(),
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(Buffer.alloc(2_048)), 5);
        response.on('close', () => clearInterval(timer));
      },
    ];
    const { webhook } = await pinged();
    const failed = await delivery(webhook, ({ last_status }) => last_status === 307);
    expect(failed.last_error).toBe(
      'the receiver answered 307; redirects are not followed, so set the URL that it redirects to',
    );
    const again = await client.webhooks.test(webhook.id);
    await delivery(webhook, ({ id, state }) => id === again.id && state === 'delivered');
    expect(target.connections).toBe(0);
  });
});

describe('a receiver that does not answer within the time limit', () => {
  beforeEach(() => begin({ timeoutMs: 400 }));
  afterEach(() => opened.disposeAsync());

  test('is reported and counts as a failed attempt', async () => {
    receiver.answers = ['hang'];
    const { webhook } = await pinged();
    const late = await delivery(webhook, ({ last_error }) => last_error !== null);
    expect(late).toMatchObject({
      state: 'pending',
      last_status: null,
      last_error: 'no response within 0.4 s',
    });
  });
});

describe('unresponsive receivers', () => {
  beforeEach(() => begin());
  afterEach(() => opened.disposeAsync());

  test('do not delay other receivers and get at most four messages at a time', async () => {
    const slow = opened.use(await WebhookReceiver.start());
    slow.answers = ['hang'];
    const stuck = await Promise.all(
      Array.from({ length: 8 }, () => client.webhooks.create({ url: slow.url })),
    );
    for (const { id } of stuck) for (let n = 0; n < 6; n += 1) await client.webhooks.test(id);
    await until('all receivers to have a pending request', () => slow.received.length >= 8);
    const { webhook } = await pinged();
    await delivery(webhook, ({ state }) => state === 'delivered');
    const waiting = await Promise.all(stuck.map(deliveriesOf));
    for (const deliveries of waiting) {
      expect(deliveries.every(({ state, last_error }) => state === 'pending' && last_error === null)).toBe(
        true,
      );
      expect(deliveries.filter(({ attempts }) => attempts > 0).length).toBeLessThanOrEqual(4);
    }
    expect(slow.received.length).toBeLessThanOrEqual(8 * 4);
  });
});

describe('while private networks are not allowed', () => {
  beforeEach(() => begin({ mayBePrivate: false }));
  afterEach(() => opened.disposeAsync());

  test('rejects a private address when a webhook is created or changed', async () => {
    const webhook = await client.webhooks.create({ url: 'https://example.com/' });
    const local = receiver.url.replace('127.0.0.1', 'localhost');
    const refused = ['http://[::1]:8080/', 'http://169.254.169.254/', 'http://0x7f.1/'];
    for (const url of [receiver.url, local, ...refused]) {
      const invalid = { code: 40000, data: { errors: [{ field: 'body.url' }] } };
      await expect(client.webhooks.create({ url })).rejects.toMatchObject(invalid);
      await expect(client.webhooks.update(webhook.id, { url })).rejects.toMatchObject(invalid);
    }
  });

  test.each(['127.0.0.1', 'localhost'])(
    'does not connect to %s if it was accepted earlier, and gives the reason',
    async (host) => {
      const { accountId } = own;
      const { cursor } = await rig.store.readEvents(null, 1);
      const outcome = await rig.store.createWebhook({
        webhook: {
          accountId,
          url: receiver.url.replace('127.0.0.1', host),
          events: ['session.changed'],
          description: null,
          secret: Buffer.alloc(32),
        },
        ...{ maxWebhooks: 20, startAt: cursor, idempotency: null },
      });
      if (!outcome.ok) throw new Error('the webhook was not created');
      await client.webhooks.test(outcome.created.id);
      const failed = await delivery(outcome.created, ({ last_error }) => last_error !== null);
      expect(failed).toMatchObject({ state: 'pending', last_status: null });
      expect(failed.last_error).toContain('not on the public Internet');
      expect(receiver.connections).toBe(0);
    },
  );
});
