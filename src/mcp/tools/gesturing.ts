import { Type } from 'typebox';
import { DEFAULT_HOLD_MS, DEFAULT_SWIPE_MS } from '../../contract/sockets/gestures.ts';
import { actingTool } from '../acting.ts';
import { ToolError } from '../error-messages.ts';
import { moveFingers, type Path, type Point } from '../gestures.ts';
import type { HeldPhone } from '../held-phone.ts';
import { corners, where, whereTo } from '../where.ts';

const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;
const WHOLE_SCREEN = { x: 0, y: 0, width: 1, height: 1 };
/** Distance between two fingers that are together, as a fraction of the height. */
const CLOSE = 0.04;
const DEFAULT_DRAG_MS = 600;

const duration = (initial: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 50,
      maximum: 10_000,
      default: initial,
      description: 'Duration of the movement in milliseconds',
    }),
  );

const swipe = actingTool({
  name: 'swipe',
  title: 'Swipe',
  description:
    'Moves a finger over the screen. `direction` is the direction in which the finger moves: "up" scrolls down, "left" goes to the page on the right. The swipe is centered on the screen, or on `element`, such as a scrollable list. Instead of `direction` you can give all of from_x, from_y, to_x and to_y.',
  arguments: {
    direction: Type.Optional(
      Type.Enum(['up', 'down', 'left', 'right'], { description: 'Direction in which the finger moves' }),
    ),
    element: where.element,
    distance: Type.Optional(
      Type.Number({
        minimum: 0.05,
        maximum: 1,
        default: 0.5,
        description: 'Length of the swipe as a fraction of the screen or the element',
      }),
    ),
    ...corners,
    ms: duration(DEFAULT_SWIPE_MS),
  },
  run: async ({ ms = DEFAULT_SWIPE_MS, ...path }, phone, { signal }) => {
    const { from, to } = await endpointsOf(phone, path, signal);
    phone.touched();
    await phone.session.swipe(from, to, { ms, signal });
    return `Swiped from ${format(from)} to ${format(to)}.`;
  },
});

interface SwipePath {
  direction?: keyof typeof DIRECTIONS;
  element?: string;
  distance?: number;
  from_x?: number;
  from_y?: number;
  to_x?: number;
  to_y?: number;
}

async function endpointsOf(phone: HeldPhone, path: SwipePath, signal: AbortSignal): Promise<Path> {
  const { direction, element, distance = 0.5, from_x, from_y, to_x, to_y } = path;
  const given = [from_x, from_y, to_x, to_y].filter((corner) => corner !== undefined).length;
  if (direction === undefined) {
    if (given < 4 || element !== undefined)
      throw new ToolError('Pass `direction`, or all of `from_x`, `from_y`, `to_x` and `to_y`.');
    return { from: { x: from_x!, y: from_y! }, to: { x: to_x!, y: to_y! } };
  }
  if (given > 0)
    throw new ToolError('Pass either `direction`, or `from_x`, `from_y`, `to_x` and `to_y`, not both.');
  const bounds = await boundsOf(phone, element, signal);
  const [right, down] = DIRECTIONS[direction];
  const middle = { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 };
  // The swipe stays away from the edges, where the system's gestures begin.
  const half = { x: (right * bounds.width * distance) / 2.2, y: (down * bounds.height * distance) / 2.2 };
  return {
    from: { x: inside(middle.x - half.x), y: inside(middle.y - half.y) },
    to: { x: inside(middle.x + half.x), y: inside(middle.y + half.y) },
  };
}

const boundsOf = async (phone: HeldPhone, element: string | undefined, signal: AbortSignal) =>
  element === undefined ? WHOLE_SCREEN : (await phone.find(element, signal)).node.bounds;

const drag = actingTool({
  name: 'drag',
  title: 'Drag and drop',
  description:
    'Presses an element or a point, holds it until it can be moved, moves it, and drops it on another element or point. Use swipe to scroll.',
  arguments: {
    ...where,
    ...whereTo,
    hold_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        default: DEFAULT_HOLD_MS,
        description: 'How long to hold before the movement, in milliseconds; 0 for sliders',
      }),
    ),
    ms: duration(DEFAULT_DRAG_MS),
  },
  run: async ({ to_element, to_x, to_y, hold_ms, ms, ...start }, phone, { signal }) => {
    if (to_element === undefined && (to_x === undefined || to_y === undefined))
      throw new ToolError('Pass `to_element` (an id from read_screen), or both `to_x` and `to_y`.');
    const from = await phone.placeOf(start, signal);
    const end = { element: to_element, x: to_x, y: to_y };
    const to = await phone.placeOf(end, signal);
    phone.touched();
    const times = { holdMs: hold_ms ?? DEFAULT_HOLD_MS, ms: ms ?? DEFAULT_DRAG_MS };
    await moveFingers(phone.session, [{ from, to }].map(pointsOnly), { ...times, signal });
    return `Dragged ${from.what} to ${to.what}.`;
  },
});

const pinch = actingTool({
  name: 'pinch',
  title: 'Pinch',
  description:
    'Moves two fingers apart (`out`, which zooms in) or together (`in`, which zooms out), centered on the screen or on `element`, such as a map or a picture.',
  arguments: {
    direction: Type.Enum(['in', 'out'], { description: '"out" zooms in, "in" zooms out' }),
    element: where.element,
    distance: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 1,
        default: 0.5,
        description: 'Largest distance between the fingers, as a fraction of the height',
      }),
    ),
    ms: duration(DEFAULT_DRAG_MS),
  },
  run: async ({ direction, element, distance = 0.5, ms }, phone, { signal }) => {
    const { x, y, width, height } = await boundsOf(phone, element, signal);
    phone.touched();
    const middle = { x: inside(x + width / 2), y: inside(y + height / 2) };
    const at = (offset: number): Point => ({ x: middle.x, y: inside(middle.y + offset * height) });
    const paths = [-1, 1].map((side): Path => {
      const [together, apart] = [at((side * CLOSE) / 2), at((side * distance) / 2.2)];
      return direction === 'out' ? { from: together, to: apart } : { from: apart, to: together };
    });
    await moveFingers(phone.session, paths, { ms: ms ?? DEFAULT_DRAG_MS, signal });
    return `Pinched ${direction} at ${format(middle)}.`;
  },
});

const pointsOnly = ({ from, to }: Path): Path => ({
  from: { x: from.x, y: from.y },
  to: { x: to.x, y: to.y },
});
const inside = (value: number) => Math.min(1, Math.max(0, value));
const format = ({ x, y }: Point) => `(${x.toFixed(2)}, ${y.toFixed(2)})`;

export const GESTURE_TOOLS = [swipe, drag, pinch];
