import { expect, test } from 'vitest';
import { secretText, signatureHeaders } from './sign.ts';

// The test vector of the specification's reference libraries.
const SECRET = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

test('produces the signature of the specification’s example', () => {
  expect(signatureHeaders([Buffer.from(SECRET, 'base64')], MESSAGE)).toEqual({
    'webhook-id': MESSAGE.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': SIGNATURE,
  });
});

test('signs with each secret, newest first', () => {
  const secrets = [Buffer.alloc(32, 1), Buffer.from(SECRET, 'base64')];
  const [one, two, ...more] = signatureHeaders(secrets, MESSAGE)['webhook-signature']!.split(' ');
  expect([two, more]).toEqual([SIGNATURE, []]);
  expect(one).toMatch(/^v1,[\w+/]{43}=$/);
  expect(one).not.toBe(two);
});

test('encodes a secret in the documented format', () => {
  expect(secretText(Buffer.from(SECRET, 'base64'))).toBe(`whsec_${SECRET}`);
});
