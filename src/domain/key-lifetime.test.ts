import { expect, test } from 'vitest';
import { latestExpiry } from './key-lifetime.ts';

const [now, day] = [1_000_000_000, 86_400_000];

test.each([
  ['a key that never expires', { expiresAt: null, signedIn: false }, 90 * day, null],
  ['a key that expires', { expiresAt: now + 7 * day, signedIn: false }, 90 * day, now + 7 * day],
  ['a sign-in', { expiresAt: now + day / 2, signedIn: true }, 90 * day, now + 90 * day],
  [
    'a sign-in that is limited by the maximum lifetime',
    { expiresAt: now + day / 2, signedIn: true },
    0,
    now + day / 2,
  ],
] as const)('%s', (_, creator, maxLifetimeMs, latest) => {
  expect(latestExpiry(creator, now, maxLifetimeMs)).toBe(latest);
});
