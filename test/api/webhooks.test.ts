import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../src/client/verify-webhook.ts';
import { until } from '../black-box/kit/wait.ts';
import { expectedSignature } from '../fixtures/webhook-receiver.ts';
import {
  begin,
  client,
  clientOf,
  first,
  opened,
  own,
  receiver,
  rig,
  startSession,
} from './kit/webhook-rig.ts';

const HOUR = 3_600_000;

describe('webhooks', () => {
  beforeEach(() => begin());
  afterEach(() => opened.disposeAsync());

  test('keep a replaced secret valid beside the new one for a day', async () => {
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
    const [, one] = await until(
      'the second message',
      () => receiver.received.length > 1 && receiver.received,
    );
    expect(one!.headers['webhook-signature']).toBe(expectedSignature(rotated.secret!, one!));
  });

  test('are limited per account, and a repeated request creates none and shows no secret', async () => {
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
  ])('rejects %j with the valid values', async (body, field) => {
    const refused = client.webhooks.create(body as never);
    await expect(refused).rejects.toMatchObject({
      ...{ code: 40000, data: { errors: [{ field, message: expect.stringMatching(/\S/) }] } },
    });
    expect((await client.webhooks.list()).total).toBe(0);
  });

  test('can be listed and disabled by operators, without the credentials in their addresses', async () => {
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

  test('resume after a store outage', async () => {
    const webhook = await client.webhooks.create({ url: receiver.url, events: ['session.changed'] });
    rig.storeIsUnavailable = true;
    await expect(client.webhooks.test(webhook.id)).rejects.toMatchObject({ code: 50300 });
    rig.storeIsUnavailable = false;
    const sessionId = await startSession();
    expect((await first('session.changed')).message.data).toMatchObject({ session_id: sessionId });
  });
});
