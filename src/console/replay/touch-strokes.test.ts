import { expect, test } from 'vitest';
import { commandStroke, gestureOf, strokesOf, type TouchEvent, touchesAt } from './touch-strokes.ts';

const touch = (t: number, action: TouchEvent['action'], x: number, y: number, pointer = 0): TouchEvent => ({
  ...{ t, action, x, y, pointer },
});

test('groups touches by finger, and recognizes the gestures', () => {
  const strokes = strokesOf([
    touch(50, 'up', 0, 0),
    touch(100, 'down', 0.5, 0.5),
    touch(150, 'down', 0.2, 0.9, 1),
    touch(160, 'up', 0.5, 0.51),
    touch(300, 'move', 0.2, 0.5, 1),
    touch(400, 'up', 0.2, 0.1, 1),
    touch(1_000, 'down', 0.1, 0.1),
    touch(2_000, 'up', 0.1, 0.1),
  ]);
  expect(strokes.map(({ t, end, points }) => [t, end, points.length])).toEqual([
    [100, 160, 2],
    [150, 400, 3],
    [1_000, 2_000, 2],
  ]);
  expect(strokes.map(gestureOf)).toEqual(['tap', 'swipe', 'press']);
});

test('starts another stroke if a finger was not reported for long', () => {
  const strokes = strokesOf([touch(0, 'down', 0, 0), touch(20_000, 'move', 1, 1), touch(20_050, 'up', 1, 1)]);
  expect(strokes.map(({ t, end }) => [t, end])).toEqual([
    [0, 0],
    [20_000, 20_050],
  ]);
});

test('shows a finger between its points, and lets it fade after it was lifted', () => {
  const strokes = strokesOf([
    touch(1_000, 'down', 0, 0),
    touch(1_100, 'move', 0.5, 1),
    touch(1_200, 'up', 0.5, 1),
  ]);
  expect(touchesAt(strokes, 999)).toEqual([]);
  expect(touchesAt(strokes, 1_050)).toMatchObject([{ x: 0.25, y: 0.5, strength: 1 }]);
  expect(touchesAt(strokes, 1_150)[0]?.trail.map(({ t }) => t)).toEqual([1_000, 1_100]);
  const [fading] = touchesAt(strokes, 1_400);
  expect(fading).toMatchObject({ x: 0.5, y: 1 });
  expect(fading?.strength).toBeGreaterThan(0);
  expect(fading?.strength).toBeLessThan(1);
  expect(touchesAt(strokes, 1_700)).toEqual([]);
});

test('follows the finger of a gesture that was sent as a command', () => {
  const command = (method: string, params: Record<string, unknown>, ms: number) =>
    commandStroke({ t: 1_000, method, params, ms });
  const tap = command('tap', { x: 0.5, y: 0.25 }, 41)!;
  expect([gestureOf(tap), tap.end]).toEqual(['tap', 1_041]);
  expect(touchesAt([tap], 1_020)).toMatchObject([{ x: 0.5, y: 0.25, strength: 1 }]);
  // The command waited for another one.
  expect(command('tap', { x: 0.5, y: 0.25 }, 5_000)?.end).toBe(1_100);
  const press = command('long_press', { x: 0.5, y: 0.25 }, 601)!;
  expect([gestureOf(press), press.end]).toEqual(['press', 1_600]);
  const swipe = command('swipe', { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.2, ms: 1_000 }, 1_010)!;
  expect([gestureOf(swipe), swipe.end]).toEqual(['swipe', 2_000]);
  const [finger] = touchesAt([swipe], 1_900);
  expect(finger?.y).toBeCloseTo(0.26);
  expect(finger?.trail.length).toBeGreaterThan(10);
  expect(command('key', { key: 'HOME' }, 1)).toBe(null);
  expect(command('tap', { x: 'left', y: 0.5 }, 1)).toBe(null);
});
