import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { ANDROID_META } from '../../contract/android-keys.ts';
import { MAX_TEXT_LENGTH } from '../../contract/control-methods.ts';
import { DEFAULT_HOLD_MS, DEFAULT_SWIPE_MS } from '../../contract/gesture-times.ts';
import type { HeldPhone } from '../held-phone.ts';
import { ACTS, fields, tool, whichPhone } from '../tool.ts';
import { ToolError } from '../words.ts';

/** How long a field that was tapped takes to have the focus, and the keyboard to be there, ms. */
const FOCUS_MS = 400;

const fraction = (of: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: of }));
const where = {
  element: Type.Optional(
    Type.String({ maxLength: 20, description: 'Id of an element in read_screen, such as "e12"' }),
  ),
  x: fraction('Fraction of the width from the left, 0 to 1; with y instead of element'),
  y: fraction('Fraction of the height from the top, 0 to 1; with x instead of element'),
};
const holdMs = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  default: DEFAULT_HOLD_MS,
  description: 'How long, ms',
});

const tap = tool({
  name: 'tap',
  title: 'Tap',
  description:
    'Taps an element by its id in read_screen (better: it is found again where it is now), or a place on the screen. The screen may change: call read_screen or look again, or wait_for what should come.',
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
  title: 'Press long',
  description: 'Presses an element or a place for a while, as for menus and for selecting text.',
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
  title: 'Type a text',
  description:
    'Types a text into the field that has the focus, or into `element`, which is tapped first. It is added to what is there unless `replace` is true. Any language and emoji are fine; a line break goes into the text. With `submit` ENTER is pressed after it, which in most fields searches or sends.',
  input: fields({
    ...whichPhone,
    text: Type.String({ maxLength: MAX_TEXT_LENGTH, description: 'What to type' }),
    element: where.element,
    replace: Type.Optional(
      Type.Boolean({ default: false, description: 'Delete what is in the field first' }),
    ),
    submit: Type.Optional(Type.Boolean({ default: false, description: 'Press ENTER after it' })),
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
    return `Typed ${text.length} characters${into}${submit ? ' and pressed ENTER' : ''}.`;
  },
});

const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;
type Direction = keyof typeof DIRECTIONS;

const swipe = tool({
  name: 'swipe',
  title: 'Swipe',
  description:
    'Moves a finger over the screen. With `direction` it is the way the finger goes: "up" scrolls down to what is below, "left" goes to the page on the right. It begins in the middle of the screen, or of `element`, such as a scrollable list. Or give all of from_x, from_y, to_x and to_y.',
  input: fields({
    ...whichPhone,
    direction: Type.Optional(
      Type.Enum(['up', 'down', 'left', 'right'], { description: 'Which way the finger goes' }),
    ),
    element: where.element,
    distance: Type.Optional(
      Type.Number({
        minimum: 0.05,
        maximum: 1,
        default: 0.5,
        description: 'How far, as a fraction of the screen or the element',
      }),
    ),
    from_x: fraction('Where the finger comes down; fractions as with tap'),
    from_y: fraction('Where the finger comes down'),
    to_x: fraction('Where it is lifted'),
    to_y: fraction('Where it is lifted'),
    ms: Type.Optional(
      Type.Integer({
        minimum: 50,
        maximum: 10_000,
        default: DEFAULT_SWIPE_MS,
        description: 'How long it takes, ms',
      }),
    ),
  }),
  effect: ACTS,
  run: async ({ phone: name, ms, ...path }, { phones, signal }) => {
    const phone = phones.pick(name);
    const { from, to } = await endsOf(phone, path, signal);
    phone.touched();
    await phone.session.swipe(from, to, { ms, signal });
    return `Swiped from ${say(from)} to ${say(to)}.`;
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

async function endsOf(
  phone: HeldPhone,
  path: Path,
  signal: AbortSignal,
): Promise<{ from: Point; to: Point }> {
  const { direction, element, distance = 0.5, from_x, from_y, to_x, to_y } = path;
  const corners = [from_x, from_y, to_x, to_y];
  const given = corners.filter((corner) => corner !== undefined).length;
  if (direction === undefined) {
    if (given < 4 || element !== undefined)
      throw new ToolError('Say where to swipe: give `direction`, or all of from_x, from_y, to_x and to_y.');
    return { from: { x: from_x!, y: from_y! }, to: { x: to_x!, y: to_y! } };
  }
  if (given > 0) throw new ToolError('Give either `direction` or from_x, from_y, to_x and to_y, not both.');
  const bounds =
    element === undefined
      ? { x: 0, y: 0, width: 1, height: 1 }
      : (await phone.find(element, signal)).node.bounds;
  const [right, down] = DIRECTIONS[direction];
  const middle = { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 };
  // Not to its very edges, where the phone's own gestures begin.
  const half = { x: (right * bounds.width * distance) / 2.2, y: (down * bounds.height * distance) / 2.2 };
  return {
    from: { x: inside(middle.x - half.x), y: inside(middle.y - half.y) },
    to: { x: inside(middle.x + half.x), y: inside(middle.y + half.y) },
  };
}

const inside = (value: number) => Math.min(1, Math.max(0, value));
const say = ({ x, y }: Point) => `(${x.toFixed(2)}, ${y.toFixed(2)})`;

const pressKey = tool({
  name: 'press_key',
  title: 'Press a key',
  description:
    'Presses a key of the phone: BACK, HOME, APP_SWITCH (the recent apps), ENTER, DEL (backspace), TAB, ESCAPE, DPAD_UP, DPAD_DOWN, VOLUME_UP, VOLUME_DOWN, POWER, or any other name of Android’s without KEYCODE_. BACK closes the keyboard, dialogs and pages.',
  input: fields({
    ...whichPhone,
    key: Type.String({ minLength: 1, maxLength: 60, description: 'Such as "BACK"' }),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 1, description: 'How often' })),
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
