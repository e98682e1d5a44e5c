import { expect, test } from 'vitest';
import { ScrollDetector } from './scroll-detector.ts';
import { flatFrame, noiseFrame, textFrame } from './test-support.ts';

const WIDTH = 64;
const HEIGHT = 160;
const whole = { first: 0, last: HEIGHT - 1 };

function detect(before: Uint8Array, after: Uint8Array, maxMotion = 512): number {
  const detector = new ScrollDetector(WIDTH, HEIGHT, maxMotion);
  detector.update(new Int32Array(before.buffer), whole);
  detector.update(new Int32Array(after.buffer), whole);
  return detector.detect(whole);
}

test.each([2, 1, 37, 100, -2, -1, -63])('detects a scroll by %i below a fixed bar', (distance) => {
  const [before, after] = [100, 100 + distance].map((scroll) => textFrame(WIDTH, HEIGHT, { scroll }));
  expect(detect(before!, after!)).toBe(distance);
});

test('ignores a scroll bar at the edge', () => {
  const [before, after] = [100, 110].map((scroll) => textFrame(WIDTH, HEIGHT, { scroll }));
  for (let y = 60; y < 100; y++) after!.fill(90, (y * WIDTH + WIDTH - 4) * 4, (y + 1) * WIDTH * 4);
  expect(detect(before!, after!)).toBe(10);
});

test('detects no scroll in new content, in blank content or beyond the range of the level', () => {
  expect(detect(noiseFrame(WIDTH, HEIGHT), noiseFrame(WIDTH, HEIGHT, 1))).toBe(0);
  expect(detect(flatFrame(WIDTH, HEIGHT), flatFrame(WIDTH, HEIGHT, [0, 0, 0]))).toBe(0);
  const [before, after] = [0, 64].map((scroll) => textFrame(WIDTH, HEIGHT, { scroll }));
  expect(detect(before!, after!, 64)).toBe(0);
  expect(detect(before!, after!, 65)).toBe(64);
});
