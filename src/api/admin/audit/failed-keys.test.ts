import { expect, test } from 'vitest';
import { FailedKeys } from './failed-keys.ts';

test('an address is noted once a minute', () => {
  const failed = new FailedKeys();
  expect([0, 1, 59_999, 60_000, 60_001].map((now) => failed.isNoted('192.0.2.1', now))).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
  expect(failed.isNoted('192.0.2.2', 60_002)).toBe(true);
});

test('sixty addresses are noted in a minute, however many there are', () => {
  const failed = new FailedKeys();
  const noted = Array.from({ length: 1_000 }, (_, at) => failed.isNoted(`192.0.2.${at}`, at));
  expect(noted.filter(Boolean)).toHaveLength(60);
  expect(failed.isNoted('198.51.100.1', 60_000)).toBe(true);
});
