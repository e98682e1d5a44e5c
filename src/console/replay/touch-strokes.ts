import { DEFAULT_HOLD_MS, DEFAULT_SWIPE_MS } from '../../contract/sockets/gestures.ts';
import { indexAt } from './timeline.ts';

export interface TouchPoint {
  t: number;
  /** Fractions of the screen from its top left corner. */
  x: number;
  y: number;
}

/** One finger, from when it touches the screen until it is lifted. */
export interface Stroke {
  /** Time of the first point. */
  t: number;
  end: number;
  points: readonly TouchPoint[];
}

export interface TouchEvent extends TouchPoint {
  pointer: number;
  action: 'down' | 'move' | 'up';
}

/** A finger that is not reported for this long was lifted, although that was not recorded. */
const LOST_MS = 10_000;
/** Movement below this share of the screen is a tap. */
const TAP_DISTANCE = 0.03;
const LONG_PRESS_MS = 500;

/** Groups touch events, which are in the order of time, by finger. Returns the strokes in the order of their start. */
export function strokesOf(events: readonly TouchEvent[]): Stroke[] {
  const strokes: { t: number; end: number; points: TouchPoint[] }[] = [];
  const open = new Map<number, (typeof strokes)[number]>();
  for (const { pointer, action, t, x, y } of events) {
    let stroke = open.get(pointer);
    if (!stroke || action === 'down' || t - stroke.end > LOST_MS) {
      // The finger was on the screen before the recording started, or its first event was lost.
      if (action === 'up') continue;
      stroke = { t, end: t, points: [] };
      strokes.push(stroke);
      open.set(pointer, stroke);
    }
    stroke.points.push({ t, x, y });
    stroke.end = t;
    if (action === 'up') open.delete(pointer);
  }
  return strokes;
}

/** A tap that is sent as a command takes this long, at most. The rest of the time the command waits. */
const TAP_MS = 100;
/** Time between the points of a swipe that is sent as a command. */
const POINT_MS = 25;
const MAX_POINTS = 200;

export interface GestureCommand {
  t: number;
  method: string;
  params: Readonly<Record<string, unknown>>;
  ms: number;
}

/** Returns the path of the finger of a command, or null if the command does not touch the screen. */
export function commandStroke({ t, method, params, ms }: GestureCommand): Stroke | null {
  const number = (name: string) => (Number.isFinite(params[name]) ? Number(params[name]) : Number.NaN);
  const lasts = (usual: number) => Math.max(0, number('ms') || usual);
  if (method === 'tap') return strokeOf(t, Math.min(TAP_MS, ms), [number('x'), number('y')]);
  if (method === 'long_press') return strokeOf(t, lasts(DEFAULT_HOLD_MS), [number('x'), number('y')]);
  if (method !== 'swipe') return null;
  const to = [number('x2'), number('y2')] as const;
  return strokeOf(t, lasts(DEFAULT_SWIPE_MS), [number('x1'), number('y1')], to);
}

type Place = readonly [x: number, y: number];

function strokeOf(t: number, ms: number, from: Place, to = from): Stroke | null {
  if (![ms, ...from, ...to].every(Number.isFinite)) return null;
  const steps = from === to ? 1 : Math.min(MAX_POINTS, Math.max(1, Math.round(ms / POINT_MS)));
  const points = Array.from({ length: steps + 1 }, (_, step) => {
    const share = step / steps;
    const [x, y] = [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
    return { t: t + ms * share, x, y };
  });
  return { t, end: t + ms, points };
}

/** What a stroke looks like to the phone. */
export function gestureOf({ t, end, points }: Stroke): 'tap' | 'press' | 'swipe' {
  const [first] = points;
  const isStill = points.every(
    ({ x, y }) => first !== undefined && Math.hypot(x - first.x, y - first.y) < TAP_DISTANCE,
  );
  if (!isStill) return 'swipe';
  return end - t >= LONG_PRESS_MS ? 'press' : 'tap';
}

/** Number of fingers on the screen at most, with some that are fading. */
const MAX_SHOWN = 32;
/** A finger stays visible for this long after it was lifted. */
export const FADE_MS = 450;
/** Part of the path that is shown behind a finger. */
const TRAIL_MS = 700;

export interface ShownTouch {
  x: number;
  y: number;
  /** From 1 while the finger is down to 0. */
  strength: number;
  trail: readonly TouchPoint[];
}

/** The fingers to draw at a time of the recording. */
export function touchesAt(strokes: readonly Stroke[], time: number): ShownTouch[] {
  const last = indexAt(strokes, time);
  return strokes
    .slice(Math.max(0, last + 1 - MAX_SHOWN), last + 1)
    .filter(({ end }) => time <= end + FADE_MS)
    .flatMap(({ end, points }) => {
      const at = indexAt(points, time);
      const [point, next] = [points[at], points[at + 1]];
      if (!point) return [];
      const passed = next && next.t > point.t ? (time - point.t) / (next.t - point.t) : 0;
      const x = point.x + ((next?.x ?? point.x) - point.x) * passed;
      const y = point.y + ((next?.y ?? point.y) - point.y) * passed;
      const trail = points.slice(0, at + 1).filter(({ t }) => t >= time - TRAIL_MS);
      return [{ x, y, strength: time <= end ? 1 : 1 - (time - end) / FADE_MS, trail }];
    });
}
