import { expect, test } from 'vitest';
import { fileNameNow } from './save-file.ts';

test('names a file after its phone and the local time, using portable characters', () => {
  const now = new Date(2026, 0, 31, 14, 5, 9);
  expect(fileNameNow('Pixel 8 (büro/2)', '.mp4', now)).toBe('Pixel-8-büro-2--2026-01-31-14-05-09.mp4');
});
