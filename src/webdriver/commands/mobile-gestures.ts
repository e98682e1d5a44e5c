import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_HOLD_MS } from '../../contract/sockets/gestures.ts';
import type { Command, MobileHandler, Rect } from '../phone.ts';
import { type JsonObject, readInteger, readNumber, readOneOf, readString } from '../protocol/values.ts';
import { ELEMENT_KEY } from '../screen/element-references.ts';
import { readScreen, type Screen } from '../screen/screen.ts';
import { readSettledScreen } from '../screen/settled-screen.ts';
import { locate, middleOf, partOnScreen } from './elements.ts';

const PIXELS = { min: -100_000, max: 100_000 };
/** Speed of a gesture in pixels per second, unless the client gives one. */
const DEFAULT_SPEED = 2_500;
/** Share of the area at each edge in which no gesture begins or ends, as in UiAutomator. */
const MARGIN = 0.1;
const GESTURE_MS = { min: 50, max: 10_000 };
const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;
type Direction = keyof typeof DIRECTIONS;

/** The area of a gesture: an element, or a rectangle in pixels. */
async function areaOf(args: JsonObject, command: Command): Promise<Rect> {
  const reference = args.elementId ?? args[ELEMENT_KEY];
  if (reference !== undefined)
    return partOnScreen(await locate(command, readString(reference, 'elementId', 200)));
  const [x, y] = [readNumber(args.left, 'left', PIXELS), readNumber(args.top, 'top', PIXELS)];
  const width = readNumber(args.width, 'width', { min: 1, max: PIXELS.max });
  return { x, y, width, height: readNumber(args.height, 'height', { min: 1, max: PIXELS.max }) };
}

/** Moves a finger through the middle of the area. */
async function swipeThrough(args: JsonObject, command: Command, sign: 1 | -1): Promise<void> {
  const area = await areaOf(args, command);
  const direction = readOneOf(args.direction, 'direction', Object.keys(DIRECTIONS) as Direction[]);
  const percent = readNumber(args.percent ?? 1, 'percent', { min: 0.01, max: 10 });
  const speed = readNumber(args.speed ?? DEFAULT_SPEED, 'speed', { min: 1, max: 100_000 });
  const [right, down] = DIRECTIONS[direction];
  const share = (Math.min(1, percent) * sign * (1 - 2 * MARGIN)) / 2;
  const half = { x: right * area.width * share, y: down * area.height * share };
  const middle = { x: area.x + area.width / 2, y: area.y + area.height / 2 };
  const px = 2 * Math.hypot(half.x, half.y);
  const ms = Math.round(Math.min(GESTURE_MS.max, Math.max(GESTURE_MS.min, (px / speed) * 1000)));
  const [x1, y1] = fraction(middle.x - half.x, middle.y - half.y, command);
  const [x2, y2] = fraction(middle.x + half.x, middle.y + half.y, command);
  await command.phone.call('swipe', { x1, y1, x2, y2, ms });
}

const positionsOn = ({ elements }: Screen) =>
  elements.map(({ attributes: { text, bounds } }) => `${text} ${bounds}`).join('\n');

function fraction(x: number, y: number, { phone: { size } }: Command): [number, number] {
  const inside = (value: number) => Math.min(1, Math.max(0, value));
  return [inside(x / size.width), inside(y / size.height)];
}

const swipeGesture: MobileHandler = async (args, command) => {
  await swipeThrough(args, command, 1);
  return null;
};

/** Scrolls towards the direction, so the finger moves the other way. Returns whether there may be more. */
const scrollGesture: MobileHandler = async (args, command) => {
  const before = positionsOn(await readScreen(command.phone));
  await swipeThrough(args, command, -1);
  return positionsOn(await readSettledScreen(command)) !== before;
};

async function pointOf(args: JsonObject, command: Command): Promise<{ x: number; y: number }> {
  const reference = args.elementId ?? args[ELEMENT_KEY];
  if (reference !== undefined)
    return middleOf(await locate(command, readString(reference, 'elementId', 200)));
  const [x, y] = fraction(readNumber(args.x, 'x', PIXELS), readNumber(args.y, 'y', PIXELS), command);
  return { x, y };
}

const clickGesture: MobileHandler = async (args, command) => {
  await command.phone.call('tap', await pointOf(args, command));
  return null;
};

const doubleClickGesture: MobileHandler = async (args, command) => {
  const point = await pointOf(args, command);
  await command.phone.call('tap', point);
  await delay(60, undefined, { signal: command.signal });
  await command.phone.call('tap', point);
  return null;
};

const longClickGesture: MobileHandler = async (args, command) => {
  const ms = readInteger(args.duration ?? DEFAULT_HOLD_MS, 'duration', { min: 1, max: GESTURE_MS.max });
  await command.phone.call('long_press', { ...(await pointOf(args, command)), ms });
  return null;
};

const dragGesture: MobileHandler = async (args, command) => {
  const start = args.startX === undefined ? args : { x: args.startX, y: args.startY };
  const { x: x1, y: y1 } = await pointOf(start, command);
  const { x: x2, y: y2 } = await pointOf({ x: args.endX, y: args.endY }, command);
  await command.phone.call('swipe', { x1, y1, x2, y2, ms: 1_000 });
  return null;
};

/** The `mobile:` commands that move fingers. */
export const MOBILE_GESTURES: Record<string, MobileHandler> = {
  swipeGesture,
  scrollGesture,
  clickGesture,
  doubleClickGesture,
  longClickGesture,
  dragGesture,
};
