import { Type } from 'typebox';
import { screenAfter, showAfter } from '../acting.ts';
import type { BorrowedPhones } from '../borrowed-phones.ts';
import { pictureOf } from '../picture.ts';
import { describeScreen } from '../screen-reading.ts';
import { conditionOf, waitForScreen } from '../screen-wait.ts';
import { fields, LOOKS, SPARE_MS, tool, whichPhone } from '../tool.ts';

const look = tool({
  name: 'look',
  title: 'Look at the screen',
  description:
    'Returns a screenshot (PNG), scaled down, and its size. Use it when images, colors or ' +
    'layout matter; read_screen is cheaper and exact for text and buttons. To tap what you see at a ' +
    'pixel, divide: x / width, y / height. `phone` may also be the session id of another live session of ' +
    'the account (see my_phones).',
  input: fields({
    ...whichPhone,
    max_side: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 2000,
        default: 1000,
        description: 'Longest side in pixels; use a larger value to read small print',
      }),
    ),
  }),
  effect: LOOKS,
  run: async ({ phone: name, max_side }, { phones, signal }) => {
    const { sessionId, title } = screenOf(phones, name);
    const picture = await pictureOf(phones, sessionId, { ...(max_side && { maxSide: max_side }), signal });
    return [...picture, { type: 'text', text: `It shows the screen of ${title}.` }];
  },
});

/** A held phone, or any session of the account by its id: a screenshot does not require control. */
function screenOf(phones: BorrowedPhones, name: string | undefined): { sessionId: string; title: string } {
  const isHeld = phones.held.some(({ session }) => session.id === name);
  if (name?.startsWith('ses_') && !isHeld) return { sessionId: name, title: name };
  const { session, title } = phones.pick(name);
  return { sessionId: session.id, title };
}

const readScreen = tool({
  name: 'read_screen',
  title: 'Read the screen',
  description:
    'Returns what is on the screen as text: one element per line, indented below the element that ' +
    'contains it, as `e12 button "Search" #search clickable (0.91,0.05)`: its id, kind, text, resource ' +
    'id, flags (clickable, focused, scrollable, checked) and center. Tools that act return the changed ' +
    'screen themselves, so call this only to see the screen without acting. Pass the ids to tap, ' +
    'type_text, swipe and others; an id stays the same while its element is on the screen. An on-screen ' +
    'keyboard is one line.',
  input: fields({
    ...whichPhone,
    contains: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Return only elements whose line contains this text; case-insensitive',
      }),
    ),
    max_chars: Type.Optional(
      Type.Integer({
        minimum: 500,
        maximum: 50_000,
        default: 12_000,
        description: 'Maximum length of the result; omitted elements are counted',
      }),
    ),
    keys: Type.Optional(
      Type.Boolean({ default: false, description: 'List the keys of an on-screen keyboard too' }),
    ),
  }),
  effect: LOOKS,
  run: async ({ phone: name, contains = '', max_chars = 12_000, keys }, { phones, signal }) => {
    const phone = phones.pick(name);
    const reading = await phone.read(signal, keys);
    if (contains === '') phone.describe(reading, max_chars);
    const text = describeScreen(reading, max_chars, contains);
    if (text !== '') return `${phone.title}:\n${text}`;
    const why = contains === '' ? 'no readable element is' : `no element with ${JSON.stringify(contains)} is`;
    return `${phone.title}: ${why} on the screen. Call look to see it in a screenshot, or swipe to see more of it.`;
  },
});

const waitFor = tool({
  name: 'wait_for',
  title: 'Wait for the screen',
  description:
    'Waits until a text appears, until a text disappears, or until the screen has stopped changing. Pass ' +
    'exactly one of `text`, `gone` and `still_ms`. Use it after something that takes time, such as ' +
    'starting an app or loading a page, instead of repeated read_screen calls. Unchanged means that no ' +
    'element, text or position has changed; videos and blinking cursors do not count. If the condition ' +
    'is not met in time, the call fails; read_screen then shows why. It returns the screen.',
  input: fields({
    ...whichPhone,
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Wait until this text is on the screen; case-insensitive',
      }),
    ),
    gone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'Wait until this text is not on the screen' }),
    ),
    still_ms: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 10_000,
        description: 'Wait until the screen has not changed for this many milliseconds',
      }),
    ),
    timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 120, default: 15 })),
    ...showAfter('text'),
  }),
  effect: LOOKS,
  deadlineMs: ({ timeout_seconds = 15 }) => timeout_seconds * 1000 + SPARE_MS,
  run: async ({ phone: name, text, gone, still_ms, timeout_seconds = 15, show = 'text' }, call) => {
    const { phones, signal } = call;
    const condition = conditionOf({ text, gone, still_ms });
    const phone = phones.pick(name);
    const limits = { timeoutMs: timeout_seconds * 1000, signal };
    const ms = await waitForScreen(() => phone.readTree(signal), condition, limits);
    const met = `After ${(ms / 1000).toFixed(1)} s: ${condition.met}.`;
    return [{ type: 'text', text: met }, ...(await screenAfter(phone, show, call))];
  },
});

export const LOOKING_TOOLS = [look, readScreen, waitFor];
