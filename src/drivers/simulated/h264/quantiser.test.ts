import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chromaQp, Quantiser, ZIGZAG } from './quantiser.ts';
import { forwardTransform4x4, inverseTransform4x4 } from './transform.ts';

const qp = fc.nat(51);
const prediction = fc.constantFrom('intra' as const, 'inter' as const);
const residuals = fc.array(fc.integer({ min: -255, max: 255 }), { minLength: 16, maxLength: 16 });

test('visits every coefficient in the zig-zag scan', () => {
  expect([...ZIGZAG].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i));
});

test('maps chroma QP by Table 8-15', () => {
  expect([0, 29, 30, 35, 43, 51].map(chromaQp)).toEqual([0, 29, 29, 33, 37, 39]);
});

test('reconstructs a residual within one quantization step', () => {
  fc.assert(
    fc.property(qp, prediction, residuals, (value, kind, samples) => {
      const quantiser = new Quantiser(value, kind);
      const block = Int32Array.from(samples);
      const levels = new Int32Array(16);
      forwardTransform4x4(block, 0);
      quantiser.quantise(block, levels, 0, 0);
      quantiser.scale(levels, block, 0, 0);
      inverseTransform4x4(block, 0);
      // Qstep is 0.625 at QP 0 and doubles every 6; each of the sixteen coefficients may have an error of 5/6 of it.
      const step = 0.625 * 2 ** (value / 6);
      const rms = Math.sqrt(samples.reduce((sum, sample, i) => sum + (sample - block[i]!) ** 2, 0) / 16);
      expect(rms).toBeLessThanOrEqual(step + 1);
    }),
  );
});

test('produces no levels for a block below the dead zone', () => {
  const spikes = fc.array(fc.tuple(fc.nat(15), fc.integer({ min: -16, max: 16 })), { maxLength: 4 });
  fc.assert(
    fc.property(fc.integer({ min: 18, max: 51 }), prediction, spikes, (value, kind, samples) => {
      const quantiser = new Quantiser(value, kind);
      const block = new Int32Array(16);
      for (const [index, sample] of samples) block[index] = sample;
      const isSmall = block.reduce((sum, sample) => sum + Math.abs(sample), 0) < quantiser.deadZone;
      forwardTransform4x4(block, 0);
      if (isSmall) expect(quantiser.quantise(block, new Int32Array(16), 0, 0)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test('leaves the DC coefficient untouched when it is coded separately', () => {
  const levels = new Int32Array(16);
  const block = new Int32Array(16);
  block[0] = 4000;
  expect(new Quantiser(24, 'intra').quantise(block, levels, 0, 1)).toBe(false);
  expect(levels[0]).toBe(0);
});
