import { setTimeout as delay } from 'node:timers/promises';
import type { ControlParams } from '../../contract/sockets/control-methods.ts';
import { MAX_NOTCHES } from '../../contract/sockets/gestures.ts';
import type { Command, Handler } from '../phone.ts';
import { invalidArgument, WebDriverError } from '../protocol/errors.ts';
import { keyOfCharacter, modifierOf, NULL_KEY, specialKey } from '../protocol/keys.ts';
import {
  type JsonObject,
  readArray,
  readInteger,
  readNumber,
  readObject,
  readOneOf,
  readString,
} from '../protocol/values.ts';
import { ELEMENT_KEY } from '../screen/element-references.ts';
import { locate } from './elements.ts';

/** As many as a phone distinguishes fingers. */
const MAX_SOURCES = 10;
const MAX_TICKS = 1_000;
/** Maximum duration of all ticks together, ms. */
const MAX_TOTAL_MS = 60_000;
/** Interval between two positions of a moving finger. */
const STEP_MS = 20;
/** Pixels that one notch of a wheel scrolls. */
const NOTCH_PX = 100;

interface Source {
  type: 'pointer' | 'key' | 'none' | 'wheel';
  /** The finger of a pointer. */
  pointer: number;
  items: JsonObject[];
}

interface Point {
  x: number;
  y: number;
}

/** The input of the sources while they run. Positions are in pixels. */
interface Input {
  positions: Map<Source, Point>;
  down: Set<Source>;
  meta: number;
}

/** Performs the actions of W3C WebDriver (section 15): in each tick, the next action of each source, all at once. */
export const performActions: Handler = async (command) => {
  const sources = readSources(command.body.actions);
  const ticks = Math.max(0, ...sources.map(({ items }) => items.length));
  const durations = Array.from({ length: ticks }, (_, tick) =>
    Math.max(0, ...sources.map(({ items }) => durationOf(items[tick]))),
  );
  const totalMs = durations.reduce((sum, ms) => sum + ms, 0);
  if (totalMs > MAX_TOTAL_MS) throw invalidArgument(`actions must take at most ${MAX_TOTAL_MS} ms together`);
  const input: Input = { positions: new Map(), down: new Set(), meta: 0 };
  for (const [tick, ms] of durations.entries()) {
    const until = performance.now() + ms;
    const acting = sources.filter(({ items }) => items[tick] !== undefined);
    await Promise.all(acting.map((source) => perform(command, input, source, source.items[tick]!, ms)));
    const left = until - performance.now();
    if (left > 0) await delay(left, undefined, { signal: command.signal });
  }
  return null;
};

/** Lifts all fingers. Keys are not held between two commands. */
export const releaseActions: Handler = async ({ phone }) => {
  await phone.release();
  return null;
};

function readSources(value: unknown): Source[] {
  let pointers = 0;
  return readArray(value, 'actions', MAX_SOURCES).map((given, at) => {
    const source = readObject(given, `actions[${at}]`);
    const type = readOneOf(source.type, `actions[${at}].type`, ['pointer', 'key', 'none', 'wheel']);
    const items = readArray(source.actions, `actions[${at}].actions`, MAX_TICKS);
    const pointer = type === 'pointer' ? pointers++ : 0;
    return { type, pointer, items: items.map((item, n) => readObject(item, `actions[${at}].actions[${n}]`)) };
  });
}

const durationOf = (item: JsonObject | undefined) =>
  item?.duration === undefined ? 0 : readNumber(item.duration, 'duration', { min: 0, max: MAX_TOTAL_MS });

async function perform(
  command: Command,
  input: Input,
  source: Source,
  item: JsonObject,
  tickMs: number,
): Promise<void> {
  if (item.type === 'pause') return;
  if (source.type === 'pointer') await point(command, input, source, item, tickMs);
  else if (source.type === 'key') await press(command, input, item);
  else if (source.type === 'wheel') await scroll(command, item);
  else throw invalidArgument('an action of a source of type none must have the type pause');
}

async function point(
  command: Command,
  input: Input,
  source: Source,
  item: JsonObject,
  ms: number,
): Promise<void> {
  const { positions, down } = input;
  const at = positions.get(source) ?? { x: 0, y: 0 };
  const type = readOneOf(item.type, 'type', ['pointerMove', 'pointerDown', 'pointerUp', 'pointerCancel']);
  if (type === 'pointerDown') {
    down.add(source);
    await touch(command, source, 'down', at);
  } else if (type !== 'pointerMove') {
    if (!down.delete(source)) return;
    await touch(command, source, type === 'pointerUp' ? 'up' : 'cancel', at);
  } else {
    const to = await destination(command, item, at);
    if (down.has(source)) await move(command, source, at, to, durationOf(item) || ms);
    positions.set(source, to);
  }
}

async function move(command: Command, source: Source, from: Point, to: Point, ms: number): Promise<void> {
  const start = performance.now();
  for (;;) {
    const share = ms === 0 ? 1 : Math.min(1, (performance.now() - start) / ms);
    const at = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    await touch(command, source, 'move', at);
    if (share === 1) return;
    await delay(Math.min(STEP_MS, ms), undefined, { signal: command.signal });
  }
}

function touch(
  { phone }: Command,
  { pointer }: Source,
  action: ControlParams<'touch'>['action'],
  { x, y }: Point,
): Promise<unknown> {
  return phone.call('touch', { action, pointer, x: x / phone.size.width, y: y / phone.size.height });
}

/** @throws WebDriverError `move target out of bounds` */
async function destination(command: Command, item: JsonObject, at: Point): Promise<Point> {
  const limits = { min: -100_000, max: 100_000 };
  const offset = { x: readNumber(item.x ?? 0, 'x', limits), y: readNumber(item.y ?? 0, 'y', limits) };
  const origin = await originOf(command, item.origin ?? 'viewport', at);
  const to = { x: origin.x + offset.x, y: origin.y + offset.y };
  const { width, height } = command.phone.size;
  if (to.x < 0 || to.y < 0 || to.x > width || to.y > height)
    throw new WebDriverError(
      'move target out of bounds',
      `(${Math.round(to.x)}, ${Math.round(to.y)}) is outside the screen of ${width}x${height}`,
    );
  return to;
}

async function originOf(command: Command, origin: unknown, at: Point): Promise<Point> {
  if (origin === 'viewport') return { x: 0, y: 0 };
  if (origin === 'pointer') return at;
  const reference = readString(readObject(origin, 'origin')[ELEMENT_KEY], `origin.${ELEMENT_KEY}`, 200);
  const { rect } = (await locate(command, reference)).element;
  return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
}

async function press({ phone }: Command, input: Input, item: JsonObject): Promise<void> {
  const type = readOneOf(item.type, 'type', ['keyDown', 'keyUp']);
  const value = readString(item.value, 'value', 8);
  const modifier = modifierOf(value);
  if (value === NULL_KEY) input.meta = 0;
  else if (modifier !== undefined) {
    input.meta = type === 'keyDown' ? input.meta | modifier : input.meta & ~modifier;
  } else {
    const key = specialKey(value) ?? (input.meta === 0 ? undefined : keyOfCharacter(value));
    const action = type === 'keyDown' ? 'down' : 'up';
    if (key !== undefined) await phone.call('key', { key: String(key), action, meta: input.meta });
    else if (type === 'keyDown') await phone.call('text', { text: value });
  }
}

async function scroll(command: Command, item: JsonObject): Promise<void> {
  readOneOf(item.type, 'type', ['scroll']);
  const { x, y } = await destination(command, item, { x: 0, y: 0 });
  const notches = (value: unknown, field: string) => {
    const px = readInteger(value ?? 0, field, { min: -100_000, max: 100_000 });
    return Math.max(-MAX_NOTCHES, Math.min(MAX_NOTCHES, px / NOTCH_PX));
  };
  const { width, height } = command.phone.size;
  const distance = { dx: notches(item.deltaX, 'deltaX'), dy: -notches(item.deltaY, 'deltaY') };
  await command.phone.call('scroll', { x: x / width, y: y / height, ...distance });
}
