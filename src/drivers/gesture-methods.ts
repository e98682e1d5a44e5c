import type { ControlParams } from '../contract/sockets/control-methods.ts';
import { DEFAULT_HOLD_MS, DEFAULT_SWIPE_MS } from '../contract/sockets/gestures.ts';

interface Point {
  x: number;
  y: number;
}

/** One finger on a phone, which moves in straight lines. Positions are fractions of the screen. */
interface Finger {
  hold(at: Point, ms: number, signal: AbortSignal): Promise<void>;
  swipe(from: Point, to: Point, ms: number, signal: AbortSignal): Promise<void>;
}

/** Long enough for every app, short enough not to be a long press. */
const TAP_MS = 40;

/** The control methods that are gestures of one finger, for the finger of any driver. */
export function gestureMethods(finger: Finger) {
  return {
    tap: async ({ x, y }: ControlParams<'tap'>, signal: AbortSignal) => {
      await finger.hold({ x, y }, TAP_MS, signal);
      return null;
    },
    long_press: async ({ x, y, ms = DEFAULT_HOLD_MS }: ControlParams<'long_press'>, signal: AbortSignal) => {
      await finger.hold({ x, y }, ms, signal);
      return null;
    },
    swipe: async ({ x1, y1, x2, y2, ms = DEFAULT_SWIPE_MS }: ControlParams<'swipe'>, signal: AbortSignal) => {
      await finger.swipe({ x: x1, y: y1 }, { x: x2, y: y2 }, ms, signal);
      return null;
    },
  };
}
