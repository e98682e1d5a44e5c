import { ANDROID_META, ANDROID_KEYS as KEYS } from '../../../contract/sockets/android-keys.ts';
import type { AppHost, KeyPress } from '../apps/app.ts';
import type { TextField } from '../ui/text-field.ts';

const SHIFTED: Record<string, string> = {
  1: '!',
  2: '@',
  3: '#',
  4: '$',
  5: '%',
  6: '^',
  7: '&',
  8: '*',
  9: '(',
  0: ')',
  '`': '~',
  '-': '_',
  '=': '+',
  '[': '{',
  ']': '}',
  '\\': '|',
  ';': ':',
  "'": '"',
  ',': '<',
  '.': '>',
  '/': '?',
};

const NAMED: Record<string, string> = {
  SPACE: ' ',
  COMMA: ',',
  PERIOD: '.',
  GRAVE: '`',
  MINUS: '-',
  EQUALS: '=',
  LEFT_BRACKET: '[',
  RIGHT_BRACKET: ']',
  BACKSLASH: '\\',
  SEMICOLON: ';',
  APOSTROPHE: "'",
  SLASH: '/',
  AT: '@',
  PLUS: '+',
  STAR: '*',
  POUND: '#',
  TAB: '\t',
  NUMPAD_DIVIDE: '/',
  NUMPAD_MULTIPLY: '*',
  NUMPAD_SUBTRACT: '-',
  NUMPAD_ADD: '+',
  NUMPAD_DOT: '.',
  NUMPAD_COMMA: ',',
  NUMPAD_EQUALS: '=',
  NUMPAD_LEFT_PAREN: '(',
  NUMPAD_RIGHT_PAREN: ')',
};

/** Unshifted characters of a US keyboard by key code. */
const CHARACTERS = new Map<number, string>(
  Object.entries(KEYS).flatMap(([name, code]): [number, string][] => {
    const character =
      NAMED[name] ?? (/^[A-Z]$/.test(name) ? name.toLowerCase() : /^(NUMPAD_)?(\d)$/.exec(name)?.[2]);
    return character === undefined ? [] : [[code, character]];
  }),
);

/** The character that a key types, or undefined for a key that does not type one. */
export function characterOf({ code, meta }: KeyPress): string | undefined {
  if (meta & (ANDROID_META.ctrl | ANDROID_META.alt | ANDROID_META.meta)) return undefined;
  const character = CHARACTERS.get(code);
  if (character === undefined || !(meta & ANDROID_META.shift)) return character;
  return SHIFTED[character] ?? character.toUpperCase();
}

/** Edits a field as Android's text fields do. Returns true if the key was handled. */
export function editWithKey(field: TextField, key: KeyPress, clipboard: AppHost['clipboard']): boolean {
  const select = (key.meta & ANDROID_META.shift) !== 0;
  if (key.meta & ANDROID_META.ctrl && editWithControl(field, key.code, clipboard)) return true;
  switch (key.code) {
    case KEYS.DEL:
      field.deleteBackward();
      return true;
    case KEYS.FORWARD_DEL:
      field.deleteForward();
      return true;
    case KEYS.DPAD_LEFT:
    case KEYS.DPAD_RIGHT:
      field.step(key.code === KEYS.DPAD_LEFT ? -1 : 1, { select });
      return true;
    case KEYS.MOVE_HOME:
      field.moveTo(field.text.lastIndexOf('\n', field.caret - 1) + 1, { select });
      return true;
    case KEYS.MOVE_END: {
      const end = field.text.indexOf('\n', field.caret);
      field.moveTo(end < 0 ? field.text.length : end, { select });
      return true;
    }
    case KEYS.CUT:
    case KEYS.COPY:
    case KEYS.PASTE:
      return editWithControl(
        field,
        { [KEYS.CUT]: KEYS.X, [KEYS.COPY]: KEYS.C, [KEYS.PASTE]: KEYS.V }[key.code],
        clipboard,
      );
    case KEYS.ENTER:
    case KEYS.NUMPAD_ENTER:
      if (!field.multiline) return false;
      field.insert('\n');
      return true;
  }
  const character = characterOf(key);
  if (character === undefined) return false;
  field.insert(character);
  return true;
}

function editWithControl(field: TextField, code: number, clipboard: AppHost['clipboard']): boolean {
  switch (code) {
    case KEYS.A:
      field.selectAll();
      return true;
    case KEYS.C:
    case KEYS.X:
      if (field.selectedText === '') return true;
      clipboard.set(field.selectedText);
      if (code === KEYS.X) field.insert('');
      return true;
    case KEYS.V:
      field.insert(clipboard.text);
      return true;
    default:
      return false;
  }
}
