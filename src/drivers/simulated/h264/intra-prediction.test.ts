import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  lumaDc,
  Neighbours,
  predictChromaDc,
  predictHorizontal,
  predictPlane,
  predictVertical,
} from './intra-prediction.ts';

/** The neighbours of macroblock (mbX, mbY) in a plane of 2x2 macroblocks with the given samples. */
function neighboursAt(size: number, mbX: number, mbY: number, sampleAt: (x: number, y: number) => number) {
  const width = size * 2;
  const samples = Uint8Array.from({ length: width * width }, (_, i) =>
    sampleAt(i % width, Math.floor(i / width)),
  );
  const neighbours = new Neighbours(size);
  neighbours.load({ samples, width, height: width }, mbX, mbY);
  return neighbours;
}

test('predicts mid grey in DC mode without neighbours', () => {
  expect(lumaDc(neighboursAt(16, 0, 0, () => 7))).toBe(128);
  const prediction = new Uint8Array(64);
  predictChromaDc(
    neighboursAt(8, 0, 0, () => 7),
    prediction,
  );
  expect(new Set(prediction)).toEqual(new Set([128]));
});

test('predicts luma DC as the mean of the available edges', () => {
  const sampleAt = (x: number, y: number) => (y === 15 ? 100 : x === 15 ? 50 : 0);
  expect(lumaDc(neighboursAt(16, 0, 1, sampleAt))).toBe(100);
  expect(lumaDc(neighboursAt(16, 1, 1, sampleAt))).toBe(75);
  expect(lumaDc(neighboursAt(16, 1, 0, (x) => (x === 15 ? 50 : 0)))).toBe(50);
});

test('predicts chroma DC from both edges on the diagonal and from one edge elsewhere', () => {
  const prediction = new Uint8Array(64);
  predictChromaDc(
    neighboursAt(8, 1, 1, (x, y) => (y === 7 ? (x < 12 ? 10 : 30) : y < 12 ? 50 : 90)),
    prediction,
  );
  expect([prediction[0], prediction[4], prediction[32], prediction[36]]).toEqual([30, 30, 90, 60]);
});

test.each([16, 8])('repeats an edge of %i in vertical and horizontal mode', (size) => {
  const neighbours = neighboursAt(size, 1, 1, (x, y) => x * 3 + y);
  const prediction = new Uint8Array(size * size);
  predictVertical(neighbours, prediction);
  expect(prediction[size + 2]).toBe((size + 2) * 3 + size - 1);
  predictHorizontal(neighbours, prediction);
  expect(prediction[size + 2]).toBe((size - 1) * 3 + size + 1);
});

test.each([16, 8])('continues a gradient over %i samples in plane mode', (size) => {
  const slope = fc.integer({ min: -3, max: 3 });
  fc.assert(
    fc.property(slope, slope, (slopeX, slopeY) => {
      const sampleAt = (x: number, y: number) => 128 + slopeX * (x - size) + slopeY * (y - size);
      const prediction = new Uint8Array(size * size);
      predictPlane(neighboursAt(size, 1, 1, sampleAt), prediction);
      for (let i = 0; i < prediction.length; i++) {
        const expected = sampleAt(size + (i % size), size + Math.floor(i / size));
        expect(Math.abs(prediction[i]! - expected)).toBeLessThanOrEqual(1);
      }
    }),
  );
});
