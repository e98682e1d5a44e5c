import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';

// The example from the tests of the specification's reference libraries.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"test": 2432232314}';
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const SIGNED_AT_S = 1614265330;
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': String(SIGNED_AT_S),
  'webhook-signature': SIGNATURE,
};
const now = SIGNED_AT_S * 1000;
const verify = (more: Record<string, string | undefined> = {}, body: string | Uint8Array = BODY) =>
  verifyWebhook(SECRET, { ...headers, ...more }, body, { now });

describe('verifyWebhook', () => {
  test('accepts the specification’s example with either kind of headers, as text or bytes', async () => {
    const message = { test: 2432232314 };
    expect(await verify()).toEqual(message);
    expect(await verify({}, new TextEncoder().encode(BODY))).toEqual(message);
    expect(await verifyWebhook(SECRET, new Headers(headers), BODY, { now })).toEqual(message);
    expect(await verifyWebhook(SECRET.slice(6), headers, BODY, { now })).toEqual(message);
  });

  test('accepts any of several signatures and ignores those of other versions', async () => {
    const other = `v1,${btoa('x'.repeat(32))}`;
    expect(await verify({ 'webhook-signature': `${other} ${SIGNATURE}` })).toBeTruthy();
    expect(await verify({ 'webhook-signature': `v1a,AAAA ${SIGNATURE} ${other}` })).toBeTruthy();
    await expect(verify({ 'webhook-signature': other })).rejects.toThrow(WebhookVerificationError);
  });

  test.each([
    ['a different body', {}, '{"test": 2432232315}'],
    ['a different id', { 'webhook-id': 'msg_other' }, BODY],
    ['a different timestamp', { 'webhook-timestamp': String(SIGNED_AT_S + 1) }, BODY],
    ['a malformed timestamp', { 'webhook-timestamp': 'now' }, BODY],
    ['no signature', { 'webhook-signature': undefined }, BODY],
    ['no id', { 'webhook-id': undefined }, BODY],
    ['no timestamp', { 'webhook-timestamp': undefined }, BODY],
    ['a signature without a version', { 'webhook-signature': SIGNATURE.slice(3) }, BODY],
    ['a shorter signature', { 'webhook-signature': SIGNATURE.slice(0, 20) }, BODY],
    ['a signature that is not base64', { 'webhook-signature': 'v1,%%%' }, BODY],
    ['an empty signature', { 'webhook-signature': 'v1,' }, BODY],
  ])('rejects %s', async (_, more, body) => {
    await expect(verify(more, body)).rejects.toThrow(WebhookVerificationError);
  });

  test('rejects a different secret and reports a malformed one', async () => {
    const other = `whsec_${btoa('x'.repeat(24))}`;
    await expect(verifyWebhook(other, headers, BODY, { now })).rejects.toThrow(WebhookVerificationError);
    for (const none of ['', 'whsec_', 'whsec_%']) {
      await expect(verifyWebhook(none, headers, BODY, { now })).rejects.toThrow(TypeError);
    }
  });

  test('rejects a timestamp more than five minutes in the past or the future', async () => {
    for (const seconds of [-301, 301]) {
      const at = { now: now + seconds * 1000 };
      await expect(verifyWebhook(SECRET, headers, BODY, at)).rejects.toThrow('webhook-timestamp is too old');
      expect(await verifyWebhook(SECRET, headers, BODY, { ...at, toleranceSeconds: 302 })).toBeTruthy();
    }
    expect(await verifyWebhook(SECRET, headers, BODY, { now: now + 299_000 })).toBeTruthy();
    await expect(verifyWebhook(SECRET, headers, BODY)).rejects.toThrow('webhook-timestamp is too old');
  });
});
