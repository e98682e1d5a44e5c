/** Bits of Android's meta state (android.view.KeyEvent, META_*_ON). */
const META_SHIFT = 0x1;
const META_ALT = 0x2;
const META_CTRL = 0x1000;

/** Keys that do not insert text, by the browser's name (UI Events, `key`), with Android's names for them. */
const SPECIAL: Readonly<Record<string, string>> = {
  Enter: 'ENTER',
  Backspace: 'DEL',
  Delete: 'FORWARD_DEL',
  Escape: 'BACK',
  Tab: 'TAB',
  ArrowUp: 'DPAD_UP',
  ArrowDown: 'DPAD_DOWN',
  ArrowLeft: 'DPAD_LEFT',
  ArrowRight: 'DPAD_RIGHT',
  Home: 'MOVE_HOME',
  End: 'MOVE_END',
  PageUp: 'PAGE_UP',
  PageDown: 'PAGE_DOWN',
  ContextMenu: 'MENU',
};

/**
 * Shortcuts with the same meaning on the phone. Ctrl+V is not included, because the browser's paste event contains
 * the text itself.
 */
const SHORTCUTS = new Set(['a', 'c', 'x', 'y', 'z']);

/** Whether a key press on the phone copies something to its clipboard. */
export const isCopy = ({ key, meta }: { key: string; meta: number }) =>
  (key === 'C' || key === 'X') && meta === META_CTRL;

export interface KeyPress {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
}

/**
 * Returns the phone's key for a key press. Returns null if the press inserts text (which arrives as an input event,
 * composed or not) or belongs to the browser. Shift+Tab belongs to the browser, so that keyboard users can leave the
 * phone.
 */
export function phoneKeyFor(press: KeyPress): { key: string; meta: number } | null {
  if (press.isComposing) return null;
  // The Command key of a Mac does what Ctrl does elsewhere.
  const ctrl = press.ctrlKey || press.metaKey;
  const letter = press.key.toLowerCase();
  if (ctrl && !press.altKey && SHORTCUTS.has(letter)) {
    return { key: letter.toUpperCase(), meta: META_CTRL | (press.shiftKey ? META_SHIFT : 0) };
  }
  const special = Object.hasOwn(SPECIAL, press.key) ? SPECIAL[press.key] : undefined;
  const leaves = press.key === 'Tab' && (press.shiftKey || ctrl || press.altKey);
  if (special === undefined || leaves || press.metaKey) return null;
  const meta =
    (press.shiftKey ? META_SHIFT : 0) | (press.altKey ? META_ALT : 0) | (press.ctrlKey ? META_CTRL : 0);
  return { key: special, meta };
}
