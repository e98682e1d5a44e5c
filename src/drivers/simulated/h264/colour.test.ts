import fc from 'fast-check';
import { expect, test } from 'vitest';
import { convertMacroblock } from './colour.ts';
import { MacroblockSamples } from './macroblock-samples.ts';
import { toI420 } from './test-psnr.ts';
import { noiseFrame } from './test-support.ts';

function convert(rgba: Uint8Array, width: number, height: number, mbX = 0, mbY = 0): MacroblockSamples {
  const samples = new MacroblockSamples();
  convertMacroblock(new Int32Array(rgba.buffer), width, height, mbX, mbY, samples);
  return samples;
}

test.each([
  ['black', [0, 0, 0], [16, 128, 128]],
  ['white', [255, 255, 255], [235, 128, 128]],
  ['red', [255, 0, 0], [81, 90, 240]],
  ['green', [0, 255, 0], [145, 54, 34]],
  ['blue', [0, 0, 255], [41, 240, 110]],
])('%s', (_name, colour, expected) => {
  const rgba = new Uint8Array(16 * 16 * 4);
  for (let i = 0; i < rgba.length; i += 4) rgba.set([...colour, 0], i);
  const { luma, cb, cr } = convert(rgba, 16, 16);
  expect([luma[77], cb[20], cr[20]]).toEqual(expected);
});

test('converts every grey to neutral chroma', () => {
  for (let grey = 0; grey < 256; grey++) {
    const { cb, cr } = convert(new Uint8Array(16 * 16 * 4).fill(grey), 16, 16);
    expect([cb[0], cr[0]]).toEqual([128, 128]);
  }
});

test('converts by BT.601 with rounding', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const rgba = noiseFrame(16, 16, seed);
      const { luma, cb, cr } = convert(rgba, 16, 16);
      const expected = toI420(rgba, 16, 16);
      const converted = [...luma, ...cb, ...cr];
      for (const [i, sample] of converted.entries())
        expect(Math.abs(sample - expected[i]!)).toBeLessThan(0.51);
    }),
    { numRuns: 20 },
  );
});

test('repeats the last two rows and columns beyond the edges', () => {
  const rgba = noiseFrame(18, 20);
  const { luma } = convert(rgba, 18, 20, 1, 1);
  expect(luma[2]).toBe(luma[0]);
  expect(luma[15]).toBe(luma[1]);
  expect(luma[4 * 16]).toBe(luma[2 * 16]);
  expect(luma[15 * 16 + 1]).toBe(luma[3 * 16 + 1]);
});
