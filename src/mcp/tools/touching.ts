import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { ANDROID_META } from '../../contract/sockets/android-keys.ts';
import { MAX_TEXT_LENGTH } from '../../contract/sockets/control-methods.ts';
import { DEFAULT_HOLD_MS } from '../../contract/sockets/gestures.ts';
import { counted } from '../../util/counted.ts';
import { actingTool } from '../acting.ts';
import { ToolError } from '../error-messages.ts';
import { fields, LOOKS, tool, whichPhone } from '../tool.ts';
import { where } from '../where.ts';

/** Time that a tapped field takes to receive focus and to open the keyboard, ms. */
const FOCUS_MS = 400;
/** A second tap sooner than 40 ms or later than 300 ms is not a double tap (AOSP ViewConfiguration.java). */
const DOUBLE_TAP_MS = 80;

const tap = actingTool({
  name: 'tap',
  title: 'Tap',
  description:
    'Taps an element by its id from read_screen, or a point of the screen, and returns the changed screen. Prefer the id: the element is located again before the tap. If the effect takes longer, call wait_for.',
  arguments: where,
  run: async (place, phone, { signal }) => {
    const { x, y, what } = await phone.placeOf(place, signal);
    phone.touched();
    await phone.session.tap(x, y, { signal });
    return `Tapped ${what}.`;
  },
});

const doubleTap = actingTool({
  name: 'double_tap',
  title: 'Double tap',
  description:
    'Taps an element or a point of the screen twice in quick succession, for example to zoom or to select a word.',
  arguments: where,
  run: async (place, phone, { signal }) => {
    const { x, y, what } = await phone.placeOf(place, signal);
    phone.touched();
    await phone.session.tap(x, y, { signal });
    await delay(DOUBLE_TAP_MS, undefined, { signal });
    await phone.session.tap(x, y, { signal });
    return `Double-tapped ${what}.`;
  },
});

const longPress = actingTool({
  name: 'long_press',
  title: 'Long press',
  description:
    'Presses and holds an element or a point of the screen, for example to open a context menu or to select text.',
  arguments: {
    ...where,
    ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: DEFAULT_HOLD_MS,
        description: 'Duration in milliseconds',
      }),
    ),
  },
  run: async ({ ms = DEFAULT_HOLD_MS, ...place }, phone, { signal }) => {
    const { x, y, what } = await phone.placeOf(place, signal);
    phone.touched();
    await phone.session.longPress(x, y, { ms, signal });
    return `Pressed ${what} for ${ms} ms.`;
  },
});

const typeText = actingTool({
  name: 'type_text',
  title: 'Type text',
  description:
    'Types text into the focused field, or into `element`, which is tapped first. The text is added to the content of the field unless `replace` is true. It may contain any Unicode characters, including line breaks. With `submit`, ENTER is pressed afterwards, which starts a search or sends a message in most fields.',
  arguments: {
    text: Type.String({ maxLength: MAX_TEXT_LENGTH, description: 'Text to type' }),
    element: where.element,
    replace: Type.Optional(
      Type.Boolean({ default: false, description: 'Delete the content of the field first' }),
    ),
    submit: Type.Optional(Type.Boolean({ default: false, description: 'Press ENTER afterwards' })),
  },
  run: async ({ text, element, replace, submit }, phone, { signal }) => {
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

const pressKey = actingTool({
  name: 'press_key',
  title: 'Press a key',
  description:
    'Presses a key of the phone: BACK, HOME, APP_SWITCH (the recent apps), ENTER, DEL (backspace), TAB, ESCAPE, DPAD_UP, DPAD_DOWN, VOLUME_UP, VOLUME_DOWN, POWER, or any other Android key name without KEYCODE_. BACK closes the keyboard, dialogs and pages.',
  arguments: {
    key: Type.String({ minLength: 1, maxLength: 60, description: 'Name of the key, such as "BACK"' }),
    times: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, default: 1, description: 'How many times to press the key' }),
    ),
  },
  run: async ({ key, times = 1 }, phone, { signal }) => {
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

const rotate = actingTool({
  name: 'rotate',
  title: 'Rotate the phone',
  description: 'Rotates the screen. An app that supports only one orientation stays as it is.',
  arguments: {
    orientation: Type.Optional(
      Type.Enum(['portrait', 'landscape'], { description: 'Without it, the other orientation' }),
    ),
  },
  run: async ({ orientation }, phone, { signal }) => {
    phone.touched();
    await phone.session.rotate(orientation, { signal });
    return orientation === undefined ? 'Rotated the screen.' : `Rotated the screen to ${orientation}.`;
  },
});

const getClipboard = tool({
  name: 'get_clipboard',
  title: 'Read the clipboard',
  description: 'Returns the text on the clipboard of a phone, for example after a Copy button was tapped.',
  input: fields(whichPhone),
  effect: LOOKS,
  run: async ({ phone: name }, { phones, signal }) => {
    const text = await phones.pick(name).session.clipboard({ signal });
    return text === '' ? 'The clipboard is empty.' : `The clipboard contains:\n${text}`;
  },
});

const setClipboard = actingTool({
  name: 'set_clipboard',
  title: 'Set the clipboard',
  description: 'Sets the text on the clipboard of a phone, and pastes it into the focused field if asked to.',
  arguments: {
    text: Type.String({ maxLength: MAX_TEXT_LENGTH, description: 'Text for the clipboard' }),
    paste: Type.Optional(
      Type.Boolean({ default: false, description: 'Paste the text into the focused field' }),
    ),
  },
  run: async ({ text, paste = false }, phone, { signal }) => {
    phone.touched();
    await phone.session.setClipboard(text, { paste, signal });
    return `${counted(text.length, 'character')} on the clipboard${paste ? ', pasted into the focused field' : ''}.`;
  },
});

export const TOUCHING_TOOLS = [
  ...[tap, doubleTap, longPress, typeText, pressKey, rotate],
  ...[getClipboard, setClipboard],
];
