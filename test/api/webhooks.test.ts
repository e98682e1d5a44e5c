import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import { verifyWebhook } from '../../src/client/verify-webhook.ts';
import type { WebhookDelivery, WebhookWithSecret } from '../../src/contract/webhook.ts';
import { GIVE_UP_AFTER_MS, MAX_ATTEMPTS, retryDelayMs } from '../../src/domain/webhook-retries.ts';
import { until } from '../black-box/kit/wait.ts';
import { expectedSignature, type Received, WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { type ApiRig, startApiRig } from './api-rig.ts';

const HOUR = 3_600_000;
const TIMEOUT_MS = 400;

let opened: AsyncDisposableStack;
let rig: ApiRig;
let receiver: WebhookReceiver;
let client: PhoneboothClient;
let own: { accountId: string; keyId: string; key: string };

async function begin(webhooks: Parameters<typeof startApiRig>[0] = { webhooks: { mayBePrivate: true } }) {
  opened = new AsyncDisposableStack();
  const options = { pollMs: 20, timeoutMs: TIMEOUT_MS, ...webhooks!.webhooks };
  rig = opened.use(await startApiRig({ webhooks: options }));
  receiver = opened.use(await WebhookReceiver.start());
  own = await rig.key();
  client = clientOf(own.key);
}
const clientOf = (key: string) => new PhoneboothClient({ baseUrl: rig.baseUrl, key });
const deliveriesOf = async ({ id }: { id: string }) =>
  (await client.webhooks.deliveries(id, { page_size: 100 })).items;

/** The one delivery of a webhook, once it is so. */
function delivery(webhook: { id: string }, isSo: (row: WebhookDelivery) => boolean) {
  return until('a delivery to be so', async () => (await deliveriesOf(webhook)).find(isSo), {
    deadlineMs: 8_000,
  });
}
const first = (type: string, of = receiver): Promise<Received> =>
  until(`a message of the type ${type}`, () => of.ofType(type)[0], { deadlineMs: 8_000 });

async function pinged(url = receiver.url): Promise<{ webhook: WebhookWithSecret; sent: WebhookDelivery }> {
  const webhook = await client.webhooks.create({ url });
  return { webhook, sent: await client.webhooks.test(webhook.id) };
}

/** Lends a phone in the store, as a connect does. */
async function lend(deviceId = 'd1'): Promise<string> {
  await rig.report({ id: deviceId });
  const session = await client.connect(deviceId, { duration: 5 });
  return session.session_id;
}

describe('webhooks', () => {
  beforeEach(() => begin());
  afterEach(() => opened.disposeAsync());

  test('tell of phones and own sessions, signed as the specification says, without secrets', async () => {
    const { secret, ...webhook } = await client.webhooks.create({ url: receiver.url });
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    const theirs = clientOf((await rig.key()).key);
    const elsewhere = opened.use(await WebhookReceiver.start());
    await theirs.webhooks.create({ url: elsewhere.url, events: ['session.changed'] });
    const sessionId = await lend();
    const received = await first('session.changed');
    expect(received.headers['webhook-signature']).toBe(expectedSignature(secret!, received));
    const { type, data, timestamp } = received.message;
    expect({ type, id: data.session_id, status: data.status }).toEqual({
      ...{ type: 'session.changed', id: sessionId, status: 'connecting' },
    });
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(30_000);
    expect(received.headers).toMatchObject({ 'content-type': 'application/json', connection: 'close' });
    for (const secretOfIt of ['stream_url', 'control_url', own.key, 'wss://'])
      expect(received.body).not.toContain(secretOfIt);
    expect(await verifyWebhook(secret!, received.headers, received.body)).toEqual(received.message);
    expect((await first('device.changed')).message.data).toMatchObject({ id: 'd1' });
    await until('all to be delivered', async () =>
      (await deliveriesOf(webhook)).every(({ state }) => state === 'delivered'),
    );
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(receiver.received.length);
    expect(elsewhere.received).toEqual([]);
  });

  test('are told again after a 500, with the same identifier and body, until it is well', async () => {
    receiver.answers = [500, 503, 200];
    const { webhook, sent } = await pinged();
    const failed = await delivery(
      webhook,
      ({ attempts, last_status }) => attempts === 1 && last_status !== null,
    );
    expect(failed).toMatchObject({ state: 'pending', last_status: 500, last_error: 'answered 500' });
    const wait = Date.parse(failed.next_attempt_at!) - Date.parse(failed.last_attempt_at!);
    expect(wait).toBeGreaterThanOrEqual(4_000);
    expect(wait).toBeLessThan(7_000);
    expect((await client.webhooks.get(webhook.id)).failing_since).not.toBeNull();
    rig.travel(7_000);
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

  test('are told when a receiver that was dead is back', async () => {
    const { port, url } = receiver;
    await receiver[Symbol.asyncDispose]();
    const { webhook, sent } = await pinged(url);
    const failed = await delivery(webhook, ({ last_error }) => last_error !== null);
    expect(failed).toMatchObject({
      state: 'pending',
      last_status: null,
      last_error: 'the connection was refused',
    });
    const back = opened.use(await WebhookReceiver.start(port));
    rig.travel(7_000);
    expect((await first('ping', back)).id).toBe(sent.id);
  });

  test('are dead after eight attempts, and told once more when that is asked for', async () => {
    receiver.answers = [500];
    const { webhook, sent } = await pinged();
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      await delivery(
        webhook,
        (row) => row.attempts === attempt && row.last_status === 500 && row.state === 'pending',
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

  test('stop at once for a receiver that answers 410, and go on with a reset', async () => {
    receiver.answers = [410];
    const { webhook } = await pinged();
    const gone = await until('it to be out of use', async () => {
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

  test('stop when nothing could be delivered for days', async () => {
    receiver.answers = [500];
    const { webhook } = await pinged();
    await delivery(webhook, ({ last_status }) => last_status === 500);
    rig.travel(GIVE_UP_AFTER_MS + HOUR);
    const row = await until('it to be out of use', async () => {
      const found = await client.webhooks.get(webhook.id);
      return found.active ? null : found;
    });
    expect(row).toMatchObject({
      inactive_cause: 'receiver',
      inactive_reason: expect.stringContaining('5 days'),
    });
  });

  test('that are not active are told nothing, and what happened meanwhile is a reset', async () => {
    const webhook = await client.webhooks.create({ url: receiver.url });
    await client.webhooks.update(webhook.id, { active: false });
    await lend();
    const witness = await client.webhooks.create({ url: receiver.url });
    await client.webhooks.test(witness.id);
    await first('ping');
    expect(receiver.received).toHaveLength(1);
    await client.webhooks.update(webhook.id, { active: true });
    await first('reset');
    expect(receiver.ofType('session.changed')).toEqual([]);
  });

  test('a receiver that does not answer is given up after its time', async () => {
    receiver.answers = ['hang'];
    const { webhook } = await pinged();
    const late = await delivery(webhook, ({ last_error }) => last_error !== null);
    expect(late).toMatchObject({ state: 'pending', last_status: null, last_error: 'no answer within 0.4 s' });
  });

  test('follow no redirect, and read no endless answer', async () => {
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
    expect(failed.last_error).toBe('answered 307; redirects are not followed');
    const again = await client.webhooks.test(webhook.id);
    await delivery(webhook, ({ id, state }) => id === again.id && state === 'delivered');
    expect(target.connections).toBe(0);
  });

  test('a secret that is changed goes on beside the new one for a day', async () => {
    const webhook = await client.webhooks.create({ url: receiver.url });
    const rotated = await client.webhooks.rotate(webhook.id);
    expect(rotated.secret).not.toBe(webhook.secret);
    expect(Date.parse(rotated.previous_secret_until!) - Date.now()).toBeGreaterThan(23 * HOUR);
    await client.webhooks.test(webhook.id);
    const both = await first('ping');
    expect(both.headers['webhook-signature']).toBe(
      `${expectedSignature(rotated.secret!, both)} ${expectedSignature(webhook.secret!, both)}`,
    );
    for (const secret of [webhook.secret!, rotated.secret!])
      await verifyWebhook(secret, both.headers, both.body);
    rig.travel(25 * HOUR);
    await client.webhooks.test(webhook.id);
    const [, one] = await until('the second', () => receiver.received.length > 1 && receiver.received);
    expect(one!.headers['webhook-signature']).toBe(expectedSignature(rotated.secret!, one!));
  });

  test('an account has so many, each its own; a repeat makes no other and shows no secret', async () => {
    const webhook = await client.webhooks.create(
      { url: receiver.url, description: 'CI' },
      { idempotencyKey: 'once' },
    );
    expect(
      await client.webhooks.create({ url: receiver.url, description: 'CI' }, { idempotencyKey: 'once' }),
    ).toEqual({
      ...{ ...webhook, secret: null },
    });
    await expect(
      client.webhooks.create({ url: receiver.url }, { idempotencyKey: 'once' }),
    ).rejects.toMatchObject({
      code: 40012,
    });
    const { secret, ...shown } = webhook;
    expect(await client.webhooks.get(webhook.id)).toEqual(shown);
    expect((await client.webhooks.list()).items).toEqual([shown]);
    expect(JSON.stringify(await client.webhooks.list())).not.toContain(secret);
    const other = clientOf((await rig.key()).key);
    const ping = await client.webhooks.test(webhook.id);
    for (const attempt of [
      () => other.webhooks.get(webhook.id),
      () => other.webhooks.update(webhook.id, { active: false }),
      () => other.webhooks.delete(webhook.id),
      () => other.webhooks.rotate(webhook.id),
      () => other.webhooks.test(webhook.id),
      () => other.webhooks.deliveries(webhook.id),
      () => other.webhooks.redeliver(webhook.id, ping.id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 40008, data: { kind: 'webhook' } });
    }
    await expect(client.webhooks.redeliver(webhook.id, 'msg_none')).rejects.toMatchObject({
      ...{ code: 40008, data: { kind: 'delivery' } },
    });
    for (let n = 1; n < 20; n += 1) await client.webhooks.create({ url: receiver.url });
    await expect(client.webhooks.create({ url: receiver.url })).rejects.toMatchObject({
      ...{ code: 40011, data: { kind: 'webhooks', limit: 20, used: 20 } },
    });
    await client.webhooks.delete(webhook.id);
    await expect(client.webhooks.get(webhook.id)).rejects.toMatchObject({ code: 40008 });
    await client.webhooks.create({ url: receiver.url });
  });

  test.each([
    [{ url: 7 }, 'body.url'],
    [{}, 'body.url'],
    [{ url: 'ftp://example.com/' }, 'body.url'],
    [{ url: 'http://user:pass@example.com/' }, 'body.url'],
    [{ url: 'https://example.com/', events: [] }, 'body.events'],
    [{ url: 'https://example.com/', events: ['session.ended'] }, 'body.events'],
    [{ url: 'https://example.com/', events: ['ping'] }, 'body.events'],
    [{ url: 'https://example.com/', events: 'session.changed' }, 'body.events'],
    [{ url: 'https://example.com/', description: 'a\nb' }, 'body.description'],
    [{ url: 'https://example.com/', secret: 'mine' }, 'body.secret'],
  ])('%j is refused, and says what would be right', async (body, field) => {
    const refused = client.webhooks.create(body as never);
    await expect(refused).rejects.toMatchObject({
      ...{ code: 40000, data: { errors: [{ field, message: expect.stringMatching(/\S/) }] } },
    });
    expect((await client.webhooks.list()).total).toBe(0);
  });

  test('operators see all of them without what their addresses hide, and can stop one', async () => {
    const { admin } = clientOf((await rig.key(undefined, 'admin')).key);
    const webhook = await client.webhooks.create({ url: receiver.url });
    const listed = await admin.listWebhooks({ account_id: own.accountId });
    expect(listed.items).toMatchObject([
      { id: webhook.id, account: { id: own.accountId }, origin: new URL(receiver.url).origin, active: true },
    ]);
    expect(JSON.stringify(listed)).not.toContain('a-secret-of-the-account');
    const stopped = await admin.updateWebhook(webhook.id, { active: false, reason: 'it is too loud' });
    expect(stopped).toMatchObject({
      active: false,
      inactive_cause: 'operator',
      inactive_reason: 'it is too loud',
    });
    expect(await client.webhooks.get(webhook.id)).toMatchObject({ inactive_reason: 'it is too loud' });
    await expect(client.webhooks.update(webhook.id, { active: true })).rejects.toMatchObject({ code: 40003 });
    expect(await admin.updateWebhook(webhook.id, { active: true })).toMatchObject({ active: true });
    await expect(admin.updateWebhook('hook_none', { active: true })).rejects.toMatchObject({ code: 40008 });
    const { items } = await admin.listAudit({ target: webhook.id });
    expect(items.map(({ action, code }) => [action, code])).toEqual([
      ['admin.webhooks.update', 0],
      ['webhooks.update', 40003],
      ['admin.webhooks.update', 0],
      ['webhooks.create', 0],
    ]);
  });

  test('go on when the store was away', async () => {
    const webhook = await client.webhooks.create({ url: receiver.url, events: ['session.changed'] });
    rig.storeIsAway = true;
    await expect(client.webhooks.test(webhook.id)).rejects.toMatchObject({ code: 50300 });
    rig.storeIsAway = false;
    const sessionId = await lend();
    expect((await first('session.changed')).message.data).toMatchObject({ session_id: sessionId });
  });
});

describe('receivers that hang', () => {
  beforeEach(() => begin({ webhooks: { mayBePrivate: true, timeoutMs: 30_000 } }));
  afterEach(() => opened.disposeAsync());

  test('hold up no other, and have four messages at a time', async () => {
    const slow = opened.use(await WebhookReceiver.start());
    slow.answers = ['hang'];
    const stuck = await Promise.all(
      Array.from({ length: 8 }, () => client.webhooks.create({ url: slow.url })),
    );
    for (const { id } of stuck) for (let n = 0; n < 6; n += 1) await client.webhooks.test(id);
    await until('all of them to hang', () => slow.received.length >= 8);
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

describe('without leave for private networks', () => {
  beforeEach(() => begin({ webhooks: { mayBePrivate: false } }));
  afterEach(() => opened.disposeAsync());

  test('an address of one is refused at once, when it is made and when it is changed', async () => {
    const webhook = await client.webhooks.create({ url: 'https://example.com/' });
    for (const url of [receiver.url, 'http://[::1]:8080/', 'http://169.254.169.254/', 'http://0x7f.1/']) {
      const invalid = { code: 40000, data: { errors: [{ field: 'body.url' }] } };
      await expect(client.webhooks.create({ url })).rejects.toMatchObject(invalid);
      await expect(client.webhooks.update(webhook.id, { url })).rejects.toMatchObject(invalid);
    }
  });

  test('a name that stands for one is never connected to, and the delivery says why', async () => {
    const { webhook } = await pinged(receiver.url.replace('127.0.0.1', 'localhost'));
    const failed = await delivery(webhook, ({ last_error }) => last_error !== null);
    expect(failed).toMatchObject({ state: 'pending', last_status: null });
    expect(failed.last_error).toContain('not one of the public Internet');
    expect(receiver.connections).toBe(0);
  });

  test('an address that was taken while it was allowed is not connected to either', async () => {
    const { accountId } = own;
    const { cursor } = await rig.store.readEvents(null, 1);
    const outcome = await rig.store.makeWebhook({
      webhook: {
        accountId,
        url: receiver.url,
        events: ['session.changed'],
        description: null,
        secret: Buffer.alloc(32),
      },
      ...{ maxWebhooks: 20, startAt: cursor, idempotency: null },
    });
    if (!outcome.ok) throw new Error('not made');
    await client.webhooks.test(outcome.made.id);
    const failed = await delivery(outcome.made, ({ last_error }) => last_error !== null);
    expect(failed.last_error).toContain('not one of the public Internet');
    expect(receiver.connections).toBe(0);
  });
});
