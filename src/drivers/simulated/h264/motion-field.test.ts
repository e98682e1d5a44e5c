import { expect, test } from 'vitest';
import { MotionField } from './motion-field.ts';

/** A field of three macroblocks by two; null is intra. */
function field(...vectors: (number | null)[]): MotionField {
  const motion = new MotionField(3, 2);
  for (const [i, vector] of vectors.entries()) {
    if (vector === null) motion.setIntra(i % 3, Math.floor(i / 3));
    else motion.set(i % 3, Math.floor(i / 3), vector);
  }
  return motion;
}

test('predicts the left vector in the first row', () => {
  expect(field(8).predict(0, 0)).toBe(0);
  expect(field(8).predict(1, 0)).toBe(8);
  expect(field(null).predict(1, 0)).toBe(0);
});

test('predicts the median of the left, above and above-right vectors', () => {
  expect(field(1, 8, 16, 12).predict(1, 1)).toBe(12);
  expect(field(0, 8, 16).predict(0, 1)).toBe(0);
});

test('uses the above-left vector at the end of a row', () => {
  expect(field(0, 4, 16, 0, 12).predict(2, 1)).toBe(12);
});

test('predicts the vector of the only neighbour with motion', () => {
  expect(field(null, null, 16, null).predict(1, 1)).toBe(16);
  expect(field(null, 8, null, null).predict(1, 1)).toBe(8);
  expect(field(null, 8, 16, null).predict(1, 1)).toBe(8);
});

test('gives P_Skip no motion at the edges and next to a static block', () => {
  expect(field(8, 8, 8, 8).predictSkip(1, 1)).toBe(8);
  expect(field(8, 8, 8).predictSkip(0, 1)).toBe(0);
  expect(field(8).predictSkip(1, 0)).toBe(0);
  expect(field(8, 0, 8, 8).predictSkip(1, 1)).toBe(0);
  expect(field(8, 8, 8, 0).predictSkip(1, 1)).toBe(0);
  expect(field(8, null, 8, null).predictSkip(1, 1)).toBe(8);
});
