import { MAX_NOTCHES } from '../../../contract/sockets/gestures.ts';

/** A point on the phone's screen, as fractions from its top left corner. */
export interface Point {
  x: number;
  y: number;
}

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

/** Converts a point of the page to a point on the phone. A point outside the box is moved to its nearest edge. */
export function pointOn(box: Box, clientX: number, clientY: number): Point {
  return {
    x: box.width > 0 ? clamp((clientX - box.left) / box.width, 0, 1) : 0,
    y: box.height > 0 ? clamp((clientY - box.top) / box.height, 0, 1) : 0,
  };
}

/** The second finger of a pinch with one mouse, opposite the first one relative to the center of the screen. */
export const opposite = ({ x, y }: Point): Point => ({ x: 1 - x, y: 1 - y });

/** Amount of scrolling that equals one wheel notch, in pixels, lines and pages (WheelEvent.deltaMode 0, 1, 2). */
const PER_NOTCH = [100, 3, 1] as const;
export const boundedNotches = (notches: number) => clamp(notches, -MAX_NOTCHES, MAX_NOTCHES);

/**
 * Converts wheel scrolling to notches as the phone counts them. Up and right are positive, while down and right are
 * positive in the browser.
 */
export function notchesOf(wheel: { deltaX: number; deltaY: number; deltaMode: number }): {
  dx: number;
  dy: number;
} {
  const unit = PER_NOTCH[wheel.deltaMode] ?? PER_NOTCH[0];
  // Adding zero turns -0 into 0.
  const notches = (delta: number) => boundedNotches(delta / unit) + 0;
  return { dx: notches(wheel.deltaX), dy: notches(-wheel.deltaY) };
}
