import { expect, test } from 'vitest';
import { ariaShortcut, type Press, shortcutOf, shortcutText } from './shortcut.ts';

const press = (key: string, modifiers: Partial<Press> = {}): Press => ({
  ...{ key, code: '', altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, isComposing: false },
  ...modifiers,
});

test('recognizes Alt and a key, and Control and a key on a Mac', () => {
  expect(shortcutOf(press('h', { altKey: true }), false)).toBe('h');
  expect(shortcutOf(press('h', { ctrlKey: true }), true)).toBe('h');
  expect(shortcutOf(press('h', { ctrlKey: true }), false)).toBeNull();
  expect(shortcutOf(press('˙', { altKey: true }), true)).toBeNull();
});

test('leaves other combinations to the browser and to the phone', () => {
  expect(shortcutOf(press('h'), false)).toBeNull();
  expect(shortcutOf(press('@', { altKey: true, ctrlKey: true }), false)).toBeNull();
  expect(shortcutOf(press('H', { altKey: true, shiftKey: true }), false)).toBeNull();
  expect(shortcutOf(press('h', { altKey: true, isComposing: true }), false)).toBeNull();
});

test('finds the plus key of every layout, and the letters of keyboards for other scripts', () => {
  expect(shortcutOf(press('+', { altKey: true, shiftKey: true }), false)).toBe('+');
  expect(shortcutOf(press('=', { altKey: true }), false)).toBe('+');
  expect(shortcutOf(press('р', { altKey: true, code: 'KeyH' }), false)).toBe('h');
});

test('names a shortcut as the keyboard of the user does', () => {
  expect(shortcutText('h', false)).toBe('Alt + H');
  expect(shortcutText('h', true)).toBe('⌃H');
  expect(ariaShortcut('+', false)).toBe('Alt+Plus');
  expect(ariaShortcut('h', true)).toBe('Control+H');
});
