import { describe, expect, test } from 'vitest';
import { isCopy, type KeyPress, phoneKeyFor } from './key-map.ts';

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  key,
  shiftKey: false,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  isComposing: false,
  ...held,
});

describe('phoneKeyFor', () => {
  test.each([
    ['Enter', 'ENTER'],
    ['Backspace', 'DEL'],
    ['Escape', 'BACK'],
    ['ArrowUp', 'DPAD_UP'],
    ['Home', 'MOVE_HOME'],
    ['Tab', 'TAB'],
  ])('maps %s to %s', (key, expected) => {
    expect(phoneKeyFor(press(key))).toEqual({ key: expected, meta: 0 });
  });

  test.each(['a', 'Z', 'ß', ' ', '1', 'F5', 'Shift', 'Dead', 'toString'])(
    'leaves %s to the text input or the browser',
    (key) => {
      expect(phoneKeyFor(press(key))).toBeNull();
    },
  );

  test('sends modifier keys as Android’s meta state', () => {
    expect(phoneKeyFor(press('ArrowLeft', { shiftKey: true }))).toEqual({ key: 'DPAD_LEFT', meta: 0x1 });
    expect(phoneKeyFor(press('Backspace', { ctrlKey: true }))).toEqual({ key: 'DEL', meta: 0x1000 });
    expect(phoneKeyFor(press('Enter', { altKey: true }))).toEqual({ key: 'ENTER', meta: 0x2 });
  });

  test('treats Ctrl and Command the same for copying', () => {
    const copy = { key: 'C', meta: 0x1000 };
    expect(phoneKeyFor(press('c', { ctrlKey: true }))).toEqual(copy);
    expect(phoneKeyFor(press('c', { metaKey: true }))).toEqual(copy);
    expect(phoneKeyFor(press('Z', { ctrlKey: true, shiftKey: true }))).toEqual({ key: 'Z', meta: 0x1001 });
  });

  test('leaves pasting and browser shortcuts to the browser', () => {
    expect(phoneKeyFor(press('v', { ctrlKey: true }))).toBeNull();
    expect(phoneKeyFor(press('r', { ctrlKey: true }))).toBeNull();
    expect(phoneKeyFor(press('ArrowLeft', { metaKey: true }))).toBeNull();
  });

  test('moves the focus out of the phone on Shift+Tab', () => {
    expect(phoneKeyFor(press('Tab', { shiftKey: true }))).toBeNull();
  });

  test('ignores keys that an input method handles', () => {
    expect(phoneKeyFor(press('Enter', { isComposing: true }))).toBeNull();
  });
});

test('recognizes only copy and cut as writes to the phone’s clipboard', () => {
  const copies = (key: string, held: Partial<KeyPress>) => isCopy(phoneKeyFor(press(key, held))!);
  expect(copies('c', { ctrlKey: true })).toBe(true);
  expect(copies('x', { metaKey: true })).toBe(true);
  expect(copies('a', { ctrlKey: true })).toBe(false);
  expect(copies('C', { ctrlKey: true, shiftKey: true })).toBe(false);
});
