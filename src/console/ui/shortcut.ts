/** The keys of a Mac have other names, and Option types special characters there. */
const isMac = /^(Mac|iPhone|iPad)/.test(globalThis.navigator?.platform ?? '');

const KEY_NAMES: Readonly<Record<string, string>> = { '+': '+', '-': '−' };

/** A key that is pressed together with Alt, or with Control on a Mac. */
export type ShortcutKey = string;

/** Returns a shortcut for display: `Alt + H`, or `⌃H` on a Mac. */
export function shortcutText(key: ShortcutKey, mac = isMac): string {
  const name = KEY_NAMES[key] ?? key.toUpperCase();
  return mac ? `⌃${name}` : `Alt + ${name}`;
}

/** The shortcut of the command palette, for display. */
export const PALETTE_SHORTCUT = isMac ? '⌘K' : 'Ctrl + K';

/** Returns a shortcut as the value of `aria-keyshortcuts`. */
export const ariaShortcut = (key: ShortcutKey, mac = isMac): string =>
  `${mac ? 'Control' : 'Alt'}+${key === '+' ? 'Plus' : key.toUpperCase()}`;

export type Press = Pick<
  KeyboardEvent,
  'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'isComposing'
>;

/** Returns the key of the shortcut that was pressed, or null if the press is not a shortcut. */
export function shortcutOf(press: Press, mac = isMac): ShortcutKey | null {
  const modifier = mac ? press.ctrlKey && !press.altKey : press.altKey && !press.ctrlKey;
  if (!modifier || press.metaKey || press.isComposing) return null;
  // Many layouts have the plus sign on a shifted key.
  if (press.key === '+' || press.key === '=') return '+';
  if (press.shiftKey) return null;
  // A keyboard for another script is matched by the position of the key.
  const byPosition = /^Key([A-Z])$/.exec(press.code)?.[1];
  return (/^[\x21-\x7e]$/.test(press.key) ? press.key : (byPosition ?? press.key)).toLowerCase();
}
