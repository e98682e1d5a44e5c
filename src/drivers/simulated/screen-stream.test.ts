import { beforeEach, expect, test } from 'vitest';
import { ScreenStream } from './screen-stream.ts';
import type { SimulatedDevice } from './simulated-device.ts';

/** Node's shortest timer delay. */
const LEAST_MS = 1;

let now: number;
let timers: { at: number; callback: () => void }[];
let screen: { width: number; height: number; pixels: Uint8Array; damaged: boolean };
let stream: ScreenStream;
/** Times at which keyframes were sent. */
let keyframes: number[];

function resize(side: number): void {
  screen = { width: side, height: side, pixels: new Uint8Array(side * side * 4), damaged: true };
}

function passTo(end: number): void {
  for (;;) {
    const [next] = timers.toSorted((one, other) => one.at - other.at);
    if (!next || next.at > end) break;
    timers = timers.filter((timer) => timer !== next);
    now = next.at;
    next.callback();
  }
  now = end;
}

beforeEach(() => {
  now = 0;
  timers = [];
  keyframes = [];
  resize(16);
  const device = {
    animating: false,
    paint: () => {
      screen.damaged = false;
    },
    get screen() {
      return screen;
    },
  };
  const clock = {
    now: () => now,
    date: () => new Date(now),
    after: (ms: number, callback: () => void) => {
      const timer = { at: now + Math.max(LEAST_MS, ms), callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  stream = new ScreenStream(device as unknown as SimulatedDevice, clock, ({ type }) => {
    if (type === 'keyframe') keyframes.push(now);
    stream.taken();
  });
  stream.start();
  passTo(1_000);
});

test('sends a requested keyframe soon, and the next at least 200 ms later', () => {
  for (let at = 1_000; at < 1_600; at += 1) {
    stream.requestKeyframe();
    passTo(at);
  }
  passTo(3_000);
  const apart = keyframes.slice(1).map((at, index) => at - keyframes[index]!);
  expect(keyframes.length).toBeGreaterThan(3);
  expect(keyframes.length).toBeLessThan(7);
  expect(Math.min(...apart)).toBeGreaterThanOrEqual(200);
});

test('merges a keyframe request into one that is already pending', () => {
  // A frame has just been sent, so the next one is not due yet.
  screen.damaged = true;
  stream.schedule();
  passTo(1_001);
  stream.requestKeyframe();
  passTo(1_017);
  expect(keyframes).toEqual([0]);
  stream.requestKeyframe();
  passTo(3_000);
  expect(keyframes).toHaveLength(2);
});

test('merges a keyframe request into the keyframe of a rotation', () => {
  resize(32);
  stream.schedule();
  stream.requestKeyframe();
  passTo(3_000);
  expect(keyframes).toEqual([0, 1_001]);
});
