import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forwardTransform4x4, hadamard2x2, hadamard4x4, inverseTransform4x4 } from './transform.ts';

const residuals = (length: number) =>
  fc.array(fc.integer({ min: -255, max: 255 }), { minLength: length, maxLength: length });

/** The gain of a coefficient through both transforms is 16, 20 or 25; the inverse divides by 64 at the end. */
function scaleFully(block: Int32Array): void {
  for (let i = 0; i < 16; i++) {
    const oddIndices = (i & 1) + ((i >> 2) & 1);
    block[i] = Math.round((block[i]! * 64) / [16, 20, 25]![oddIndices]!);
  }
}

test('the core transform equals its matrix form', () => {
  const matrix = [
    [1, 1, 1, 1],
    [2, 1, -1, -2],
    [1, -1, -1, 1],
    [1, -2, 2, -1],
  ];
  fc.assert(
    fc.property(residuals(16), (samples) => {
      const block = Int32Array.from(samples);
      forwardTransform4x4(block, 0);
      const expected = Array.from({ length: 16 }, (_, at) => {
        let sum = 0;
        for (let i = 0; i < 16; i++) sum += matrix[at >> 2]![i >> 2]! * samples[i]! * matrix[at & 3]![i & 3]!;
        return sum;
      });
      expect([...block]).toEqual(expected);
    }),
  );
});

test('the inverse core transform reconstructs the input within rounding', () => {
  fc.assert(
    fc.property(residuals(16), fc.nat(3), (samples, k) => {
      const block = new Int32Array(64);
      block.set(samples, k * 16);
      forwardTransform4x4(block, k * 16);
      const coefficients = block.slice(k * 16, k * 16 + 16);
      scaleFully(coefficients);
      block.set(coefficients, k * 16);
      inverseTransform4x4(block, k * 16);
      for (let i = 0; i < 16; i++) expect(Math.abs(block[k * 16 + i]! - samples[i]!)).toBeLessThanOrEqual(1);
    }),
  );
});

test('the Hadamard transforms are their own inverses', () => {
  fc.assert(
    fc.property(residuals(16), (values) => {
      const block = Int32Array.from(values);
      hadamard4x4(block);
      hadamard4x4(block);
      expect([...block]).toEqual(values.map((value) => value * 16));
    }),
  );
  fc.assert(
    fc.property(residuals(4), (values) => {
      const block = Int32Array.from(values);
      hadamard2x2(block);
      hadamard2x2(block);
      expect([...block]).toEqual(values.map((value) => value * 4));
    }),
  );
});
