import { expect, test } from 'vitest';
import { counted } from './counted.ts';

test('uses the singular or plural of a noun', () => {
  expect([0, 1, 2].map((count) => counted(count, 'minute'))).toEqual(['0 minutes', '1 minute', '2 minutes']);
});
