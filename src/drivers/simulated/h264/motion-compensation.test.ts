import { expect, test } from 'vitest';
import { MacroblockSamples } from './macroblock-samples.ts';
import { compensateMotion } from './motion-compensation.ts';
import { Picture } from './picture.ts';

/** A picture one macroblock wide and three high. Each sample is its row number times `step`. */
function rows(step: number): Picture {
  const picture = new Picture(1, 3);
  for (const { samples, width } of [picture.luma, picture.cb, picture.cr]) {
    for (let i = 0; i < samples.length; i++) samples[i] = Math.floor(i / width) * step;
  }
  return picture;
}

function predict(dy: number): MacroblockSamples {
  const prediction = new MacroblockSamples();
  compensateMotion(rows(4), prediction, 0, 1, dy);
  return prediction;
}

test('copies samples for an even distance', () => {
  const { luma, cb, cr } = predict(6);
  expect([luma[0], luma[255]]).toEqual([22 * 4, 37 * 4]);
  expect([cb[0], cr[63]]).toEqual([11 * 4, 18 * 4]);
});

test('interpolates chroma between two rows for an odd distance', () => {
  expect(predict(3).luma[0]).toBe(19 * 4);
  expect(predict(3).cb[0]).toBe(9 * 4 + 2);
  expect(predict(-3).luma[0]).toBe(13 * 4);
  expect(predict(-3).cr[0]).toBe(6 * 4 + 2);
});

test('repeats the edge for rows outside the picture', () => {
  expect(predict(40).luma[255]).toBe(47 * 4);
  expect(predict(41).cb[63]).toBe(23 * 4);
  expect(predict(-40).luma[0]).toBe(0);
});
