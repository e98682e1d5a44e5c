import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { ANDROID_META } from '../../contract/sockets/android-keys.ts';
import { MAX_TEXT_LENGTH } from '../../contract/sockets/control-methods.ts';
import { DEFAULT_HOLD_MS, DEFAULT_SWIPE_MS } from '../../contract/sockets/gesture-times.ts';
import { counted, ToolError } from '../error-messages.ts';
import type { HeldPhone } from '../held-phone.ts';
import { ACTS, fields, tool, whichPhone } from '../tool.ts';

/** Time that a tapped field takes to receive focus and to open the keyboard, ms. */
const FOCUS_MS = 400;

const fraction = (of: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: of }));
const where = {
  element: Type.Optional(
    Type.String({ maxLength: 20, description: 'Id of an element from read_screen, such as "e12"' }),
  ),
  x: fraction('Distance from the left edge as a fraction of the width, 0 to 1; with y, instead of element'),
  y: fraction('Distance from the top edge as a fraction of the height, 0 to 1; with x, instead of element'),
};
const holdMs = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  default: DEFAULT_HOLD_MS,
  description: 'Duration in milliseconds',
});

const tap = tool({
  name: 'tap',
  title: 'Tap',
  description:
    'Taps an element by its id from read_screen, or a point of the screen. Prefer the id: the element is located again before the tap. The screen may change afterwards: call wait_for, read_screen or look.',
  input: fields({ ...whichPhone, ...where }),
  effect: ACTS,
  run: async ({ phone: name, ...place }, { phones, signal }) => {
    const phone = phones.pick(name);
    const { x, y, what } = await phone.placeOf(place, signal);
    phone.touched();
    await phone.session.tap(x, y, { signal });
    return `Tapped ${what}.`;
  },
});

const longPress = tool({
  name: 'long_press',
  title: 'Long press',
  description:
    'Presses and holds an element or a point of the screen, for example to open a context menu or to select text.',
  input: fields({ ...whichPhone, ...where, ms: Type.Optional(holdMs) }),
  effect: ACTS,
  run: async ({ phone: name, ms, ...place }, { phones, signal }) => {
    const phone = phones.pick(name);
    const { x, y, what } = await phone.placeOf(place, signal);
    phone.touched();
    await phone.session.longPress(x, y, { ms, signal });
    return `Pressed ${what} for ${ms} ms.`;
  },
});

const typeText = tool({
  name: 'type_text',
  title: 'Type text',
  description:
    'Types text into the focused field, or into `element`, which is tapped first. The text is added to the content of the field unless `replace` is true. It may contain any Unicode characters, including line breaks. With `submit`, ENTER is pressed afterwards, which starts a search or sends a message in most fields.',
  input: fields({
    ...whichPhone,
    text: Type.String({ maxLength: MAX_TEXT_LENGTH, description: 'Text to type' }),
    element: where.element,
    replace: Type.Optional(
      Type.Boolean({ default: false, description: 'Delete the content of the field first' }),
    ),
    submit: Type.Optional(Type.Boolean({ default: false, description: 'Press ENTER afterwards' })),
  }),
  effect: ACTS,
  run: async ({ phone: name, text, element, replace, submit }, { phones, signal }) => {
    const phone = phones.pick(name);
    const place = element === undefined ? null : await phone.placeOf({ element }, signal);
    phone.touched();
    if (place) {
      await phone.session.tap(place.x, place.y, { signal });
      await delay(FOCUS_MS, undefined, { signal });
    }
    if (replace) {
      await phone.session.key('A', { meta: ANDROID_META.ctrl, signal });
      await phone.session.key('DEL', { signal });
    }
    if (text !== '') await phone.session.text(text, { signal });
    if (submit) await phone.session.key('ENTER', { signal });
    const into = place ? ` into ${place.what}` : '';
    return `Typed ${counted(text.length, 'character')}${into}${submit ? ' and pressed ENTER' : ''}.`;
  },
});

const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;
type Direction = keyof typeof DIRECTIONS;

const swipe = tool({
  name: 'swipe',
  title: 'Swipe',
  description:
    'Moves a finger over the screen. `direction` is the direction in which the finger moves: "up" scrolls down, "left" goes to the page on the right. The swipe is centred on the screen, or on `element`, such as a scrollable list. Instead of `direction` you can give all of from_x, from_y, to_x and to_y.',
  input: fields({
    ...whichPhone,
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
    from_x: fraction('Start of the swipe; fractions as in tap'),
    from_y: fraction('Start of the swipe'),
    to_x: fraction('End of the swipe'),
    to_y: fraction('End of the swipe'),
    ms: Type.Optional(
      Type.Integer({
        minimum: 50,
        maximum: 10_000,
        default: DEFAULT_SWIPE_MS,
        description: 'Duration in milliseconds',
      }),
    ),
  }),
  effect: ACTS,
  run: async ({ phone: name, ms, ...path }, { phones, signal }) => {
    const phone = phones.pick(name);
    const { from, to } = await endpointsOf(phone, path, signal);
    phone.touched();
    await phone.session.swipe(from, to, { ms, signal });
    return `Swiped from ${format(from)} to ${format(to)}.`;
  },
});

interface Point {
  x: number;
  y: number;
}

interface Path {
  direction?: Direction;
  element?: string;
  distance?: number;
  from_x?: number;
  from_y?: number;
  to_x?: number;
  to_y?: number;
}

async function endpointsOf(
  phone: HeldPhone,
  path: Path,
  signal: AbortSignal,
): Promise<{ from: Point; to: Point }> {
  const { direction, element, distance = 0.5, from_x, from_y, to_x, to_y } = path;
  const corners = [from_x, from_y, to_x, to_y];
  const given = corners.filter((corner) => corner !== undefined).length;
  if (direction === undefined) {
    if (given < 4 || element !== undefined)
      throw new ToolError('Pass `direction`, or all of `from_x`, `from_y`, `to_x` and `to_y`.');
    return { from: { x: from_x!, y: from_y! }, to: { x: to_x!, y: to_y! } };
  }
  if (given > 0)
    throw new ToolError('Pass either `direction`, or `from_x`, `from_y`, `to_x` and `to_y`, not both.');
  const bounds =
    element === undefined
      ? { x: 0, y: 0, width: 1, height: 1 }
      : (await phone.find(element, signal)).node.bounds;
  const [right, down] = DIRECTIONS[direction];
  const middle = { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 };
  // The swipe stays away from the edges, where the system's gestures begin.
  const half = { x: (right * bounds.width * distance) / 2.2, y: (down * bounds.height * distance) / 2.2 };
  return {
    from: { x: inside(middle.x - half.x), y: inside(middle.y - half.y) },
    to: { x: inside(middle.x + half.x), y: inside(middle.y + half.y) },
  };
}

const inside = (value: number) => Math.min(1, Math.max(0, value));
const format = ({ x, y }: Point) => `(${x.toFixed(2)}, ${y.toFixed(2)})`;

const pressKey = tool({
  name: 'press_key',
  title: 'Press a key',
  description:
    'Presses a key of the phone: BACK, HOME, APP_SWITCH (the recent apps), ENTER, DEL (backspace), TAB, ESCAPE, DPAD_UP, DPAD_DOWN, VOLUME_UP, VOLUME_DOWN, POWER, or any other Android key name without KEYCODE_. BACK closes the keyboard, dialogs and pages.',
  input: fields({
    ...whichPhone,
    key: Type.String({ minLength: 1, maxLength: 60, description: 'Name of the key, such as "BACK"' }),
    times: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, default: 1, description: 'How many times to press the key' }),
    ),
  }),
  effect: ACTS,
  run: async ({ phone: name, key, times = 1 }, { phones, signal }) => {
    const phone = phones.pick(name);
    const own = key
      .trim()
      .toUpperCase()
      .replace(/^KEYCODE_/, '')
      .replaceAll(/[\s-]+/g, '_');
    if (!/^[A-Z0-9_]{1,40}$/.test(own))
      throw new ToolError('`key` must be a key name such as BACK or VOLUME_UP.');
    phone.touched();
    for (let count = 0; count < times; count += 1) await phone.session.key(own, { signal });
    return `Pressed ${own}${times > 1 ? ` ${times} times` : ''}.`;
  },
});

export const TOUCHING_TOOLS = [tap, longPress, typeText, swipe, pressKey];
