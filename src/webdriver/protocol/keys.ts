import { ANDROID_KEYS, ANDROID_META, type AndroidKey } from '../../contract/sockets/android-keys.ts';

/** The keys of W3C WebDriver (section 17.4.2, "normalised key value") as Android's keys. */
const SPECIAL_KEYS: Readonly<Record<string, AndroidKey>> = {
  '\uE003': 'DEL',
  '\uE004': 'TAB',
  '\uE006': 'ENTER',
  '\uE007': 'ENTER',
  '\uE00C': 'ESCAPE',
  '\uE00D': 'SPACE',
  '\uE00E': 'PAGE_UP',
  '\uE00F': 'PAGE_DOWN',
  '\uE010': 'MOVE_END',
  '\uE011': 'MOVE_HOME',
  '\uE012': 'DPAD_LEFT',
  '\uE013': 'DPAD_UP',
  '\uE014': 'DPAD_RIGHT',
  '\uE015': 'DPAD_DOWN',
  '\uE016': 'INSERT',
  '\uE017': 'FORWARD_DEL',
};

const MODIFIERS: Readonly<Record<string, keyof typeof ANDROID_META>> = {
  '\uE008': 'shift',
  '\uE009': 'ctrl',
  '\uE00A': 'alt',
  '\uE03D': 'meta',
  '\uE050': 'shift',
  '\uE051': 'ctrl',
  '\uE052': 'alt',
  '\uE053': 'meta',
};

/** Releases all modifiers. */
export const NULL_KEY = '\uE000';

export const specialKey = (character: string): AndroidKey | undefined => SPECIAL_KEYS[character];
export const modifierOf = (character: string): number | undefined => {
  const name = MODIFIERS[character];
  return name && ANDROID_META[name];
};

/** Characters of the private use area that stand for keys. */
export const isKeyCharacter = (character: string) => character >= '\uE000' && character <= '\uE05D';

const NAMES = new Map(Object.entries(ANDROID_KEYS).map(([name, code]) => [code as number, name]));

/** The name of an Android key code. */
export const androidKeyName = (code: number): string | undefined => NAMES.get(code);

/** The key that types a letter or a digit, for shortcuts such as Ctrl+A. */
export function keyOfCharacter(character: string): string | undefined {
  const upper = character.toUpperCase();
  return /^[A-Z0-9]$/.test(upper) ? upper : undefined;
}

type Typed = { text: string } | { key: string; meta: number };

/** Splits the text of "Element Send Keys" into texts to type and keys to press. */
export function typedParts(text: string): Typed[] {
  const parts: Typed[] = [];
  let meta = 0;
  for (const character of text) {
    const modifier = modifierOf(character);
    const key = specialKey(character) ?? (meta === 0 ? undefined : keyOfCharacter(character));
    const last = parts.at(-1);
    if (character === NULL_KEY) meta = 0;
    else if (modifier !== undefined) meta ^= modifier;
    else if (key !== undefined) parts.push({ key: String(key), meta });
    else if (isKeyCharacter(character)) continue;
    else if (last && 'text' in last) last.text += character;
    else parts.push({ text: character });
  }
  return parts;
}
