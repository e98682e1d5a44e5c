import { expect, test, vi } from 'vitest';
import { socketToken } from './socket-token.ts';
import { TokenKeys } from './token-keys.ts';

const [first, second, third] = [1, 2, 3].map((n) => new Uint8Array(32).fill(n)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const lease = { purpose: 'stream', sessionId: 's1', epoch: 1 } as const;
const claim = { ...lease, grantId: 'key_1' };
const tokenOf = (key: Uint8Array) => socketToken(key, claim);
const takes = (keys: TokenKeys, key: Uint8Array) => keys.verify(tokenOf(key), lease);

test('signs with the newest key and accepts the previous one', async () => {
  using keys = TokenKeys.of(second, first);
  expect(keys.sign(claim)).toBe(tokenOf(second));
  expect(await takes(keys, second)).toBe(true);
  expect(await takes(keys, first)).toBe(true);
  expect(await takes(keys, third)).toBe(false);
  expect(await keys.verify(tokenOf(second), { ...lease, purpose: 'control' })).toBe(false);
});

test('reloads the keys for a token with an unknown key, at a limited rate', async () => {
  let now: Uint8Array[] = [first];
  const read = vi.fn(async () => now);
  using keys = await TokenKeys.open(read, { everyMs: 3_600_000, atMostEveryMs: 3_600_000 });
  now = [second, first];
  expect(await Promise.all([takes(keys, second), takes(keys, second)])).toEqual([true, true]);
  expect(keys.sign(claim)).toBe(tokenOf(second));
  now = [third, second];
  expect(await takes(keys, third)).toBe(false);
  expect(read).toHaveBeenCalledTimes(2);
});

test('starts signing with a new key soon without requests, and continues during a store outage', async () => {
  const read = vi.fn(async (): Promise<Uint8Array[]> => [first]);
  using keys = await TokenKeys.open(read, { everyMs: 5 });
  read.mockRejectedValue(new Error('away'));
  await vi.waitFor(() => expect(read.mock.calls.length).toBeGreaterThan(3), { timeout: 60_000 });
  expect(await takes(keys, first)).toBe(true);
  read.mockResolvedValue([second, first]);
  await vi.waitFor(() => expect(keys.sign(claim)).toBe(tokenOf(second)), {
    timeout: 60_000,
  });
});
