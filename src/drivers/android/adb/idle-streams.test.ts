import { expect, test } from 'vitest';
import { pauseAfter } from './idle-streams.ts';

test('the pause before a stream is opened again doubles up to a minute, until a stream was stable', () => {
  const pauses: number[] = [];
  for (const openMs of [0, 0, 0, 59_999, 0, 0, 0, 0, 60_000, 0])
    pauses.push(pauseAfter(openMs, pauses.at(-1) ?? 0));
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 1, 2].map((seconds) => seconds * 1_000));
});
