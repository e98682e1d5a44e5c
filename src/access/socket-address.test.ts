import { expect, test } from 'vitest';
import { parseSocketPath, socketAddress } from './socket-address.ts';
import { type SocketPurpose, socketToken } from './socket-token.ts';
import { TokenKeys } from './token-keys.ts';

const KEY = new Uint8Array(32).fill(7);
const origins = () => ({ stream: 'wss://stream.example.com', control: 'wss://control.example.com:7144' });

test.each([
  ['stream', 'wss://stream.example.com'],
  ['control', 'wss://control.example.com:7144'],
  ['adb', 'wss://control.example.com:7144'],
] as const)('builds the address of a %s socket on its host, and parses its path', (purpose, origin) => {
  using tokenKeys = TokenKeys.of(KEY);
  const claim = { purpose, sessionId: 'ses_1-a', epoch: 3, grantId: 'watch_1' };
  const token = socketToken(KEY, claim);
  const address = socketAddress({ origins, tokenKeys }, claim);
  expect(address).toBe(`${origin}/${purpose}/${token}/ses_1-a`);
  expect(parseSocketPath(new URL(address).pathname)).toEqual({ purpose, token, sessionId: 'ses_1-a' });
});

const LONGEST = 'a'.repeat(128);

test('accepts tokens and session ids of up to 128 characters', () => {
  expect(parseSocketPath(`/stream/${LONGEST}/${LONGEST}`)).toEqual({
    purpose: 'stream' satisfies SocketPurpose,
    token: LONGEST,
    sessionId: LONGEST,
  });
});

test.each([
  '',
  '/',
  '/stream',
  '/stream/token',
  '/stream/token/',
  '/stream//ses_1',
  '/screen/token/ses_1',
  '/stream/token/ses_1/more',
  '/stream/token/ses_1?x=1',
  '/stream/token/ses_1%20',
  '/stream/token/ses.1',
  '/stream/token/ses_1\n',
  `/stream/${LONGEST}a/ses_1`,
  `/stream/token/${LONGEST}a`,
  'wss://stream.example.com/stream/token/ses_1',
])('rejects the malformed path %j', (path) => {
  expect(parseSocketPath(path)).toBeNull();
});
