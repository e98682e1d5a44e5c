import { expect, test } from 'vitest';
import { Picture } from './picture.ts';

test('crops to planar I420', () => {
  const picture = new Picture(1, 1);
  picture.luma.samples.forEach((_, i) => {
    picture.luma.samples[i] = i;
  });
  picture.cb.samples.fill(7);
  picture.cr.samples.fill(9);
  expect([...picture.cropped(4, 2)]).toEqual([0, 1, 2, 3, 16, 17, 18, 19, 7, 7, 9, 9]);
});
