import { describe, expect, test } from 'vitest';
import type { UiNode } from '../contract/sockets/control-methods.ts';
import { describeScreen, isOnScreen, middleOf, nameOf, readScreen } from './screen-reading.ts';

type Part = Partial<Omit<UiNode, 'bounds'>> & { at?: [x: number, y: number, width: number, height: number] };

const node = ({ at = [0, 0, 1, 1], role = 'view', ...rest }: Part): UiNode => {
  const [x, y, width, height] = at;
  return { role, bounds: { x, y, width, height }, ...rest };
};
const button = (text: string, y = 0.5, more: Part = {}) =>
  node({ role: 'button', text, clickable: true, at: [0, y, 0.5, 0.1], ...more });
const screen = (...children: UiNode[]) => node({ role: 'screen', children });
const text = (root: UiNode, most = 10_000, contains = '') =>
  describeScreen(readScreen(root, null), most, contains);

describe('the description of a screen', () => {
  test('lists readable and touchable elements, indented by their parents', () => {
    const row = node({
      role: 'LinearLayout',
      clickable: true,
      at: [0, 0.2, 1, 0.1],
      children: [node({ role: 'FrameLayout', children: [node({ role: 'TextView', text: 'Wi-Fi' })] })],
    });
    const root = screen(
      node({ role: 'FrameLayout', id: 'android:id/content', children: [row] }),
      node({ role: 'EditText', id: 'com.example:id/search', text: '', focused: true, at: [0, 0.4, 1, 0.1] }),
      node({ role: 'Switch', text: 'Sound', checked: true, clickable: true, scrollable: true }),
    );
    expect(text(root)).toBe(
      [
        'e1 LinearLayout clickable (0.50,0.25)',
        '  e2 TextView "Wi-Fi" (0.50,0.50)',
        'e3 EditText #search focused (0.50,0.45)',
        'e4 Switch "Sound" clickable scrollable checked (0.50,0.50)',
      ].join('\n'),
    );
  });

  test('is bounded: truncates long texts and counts omitted lines', () => {
    expect(text(screen(button('x'.repeat(1000)))).length).toBeLessThan(220);
    const many = screen(...Array.from({ length: 100 }, (_, index) => button(`Row ${index}`, index / 100)));
    const description = text(many, 500);
    expect(description.length).toBeLessThan(600);
    expect(description).toMatch(/\n\(\d\d more elements are not shown; filter them with `contains`\)$/);
    const shown = description.split('\n').length - 1;
    expect(description).toContain(`(${100 - shown} more`);
  });

  test('can be restricted to a part of the screen', () => {
    expect(text(screen(button('One'), button('Two', 0.7)), 1000, 'TWO')).toMatch(/^e2 button "Two"/);
    expect(text(screen(button('One')), 1000, 'three')).toBe('');
  });

  test('has no line breaks within a line, so that a text cannot imitate an element', () => {
    expect(text(screen(button('OK\ne9 button "Pay"'))).split('\n')).toHaveLength(1);
  });
});

describe('an on-screen keyboard', () => {
  const keys = ['q', 'w', 'e'].map((text) => node({ role: 'key', id: `key-${text}`, text, clickable: true }));
  const field = node({ role: 'EditText', id: 'name', focused: true });
  const line = (part: Part) => text(screen(field, node({ children: keys, ...part })));

  test.each<[string, Part]>([
    ['of a simulated phone', { role: 'keyboard', id: 'keyboard' }],
    ['of AOSP', { role: 'MainKeyboardView' }],
    ['of Google', { role: 'FrameLayout', id: 'com.google.android.inputmethod.latin:id/keyboard_holder' }],
    ['of Samsung', { role: 'ViewGroup', id: 'com.samsung.android.honeyboard:id/keyboard_view' }],
  ])('%s is one line', (_, part) => {
    expect(line(part)).toMatch(/^e1 EditText .*\ne2 .* with 3 keys; type_text does not need them$/);
  });

  test('keeps its id while its keys change, and lists them if asked to', () => {
    const board = (...children: UiNode[]) => screen(node({ role: 'keyboard', id: 'keyboard', children }));
    const before = readScreen(board(...keys), null);
    const after = readScreen(board(keys[0]!), before);
    expect([...after.elements.keys()]).toEqual(['e1']);
    expect(describeScreen(readScreen(board(...keys), null, true), 1_000).split('\n')).toHaveLength(3);
  });

  test('is not confused with a setting about keyboards', () => {
    const row = node({
      role: 'row',
      id: 'keyboard',
      text: 'On-screen keyboard',
      clickable: true,
      children: keys,
    });
    expect(text(screen(row)).split('\n')).toHaveLength(4);
  });
});

describe('the id of an element', () => {
  const idOf = (reading: ReturnType<typeof readScreen>, wanted: string) =>
    [...reading.elements.values()].find(({ node: own }) => own.text === wanted)?.id;

  test('is stable while the element is visible, even if it moves', () => {
    const before = readScreen(screen(button('Above'), button('Save', 0.6)), null);
    const after = readScreen(screen(button('New'), button('Save', 0.8)), before);
    expect(idOf(after, 'Save')).toBe(idOf(before, 'Save'));
    expect(middleOf(after.elements.get('e2')!.node).y).toBeCloseTo(0.85);
  });

  test('is never reused for another element', () => {
    const first = readScreen(screen(button('One')), null);
    const second = readScreen(screen(button('Two')), first);
    expect([...second.elements.keys()]).toEqual(['e2']);
    const third = readScreen(screen(button('One')), second);
    expect([...third.elements.keys()]).toEqual(['e3']);
  });

  test('is not passed on between identical elements when the first one disappears', () => {
    const before = readScreen(
      screen(button('Delete', 0.2), button('Delete', 0.4), button('Delete', 0.6)),
      null,
    );
    const after = readScreen(screen(button('Delete', 0.4), button('Delete', 0.6)), before);
    expect([...after.elements.keys()]).toEqual(['e2', 'e3']);
  });

  test('of a row without text depends on its content', () => {
    const row = (label: string) => node({ role: 'Row', clickable: true, children: [node({ text: label })] });
    const before = readScreen(screen(row('Alice')), null);
    const after = readScreen(screen(row('Bob')), before);
    expect(after.elements.has('e1')).toBe(false);
    expect(nameOf(after.elements.get('e3')!)).toBe('e3 Row "Bob"');
  });

  test('of a field is independent of the text in it', () => {
    const field = (written: string) => node({ role: 'EditText', id: 'name', text: written, focused: true });
    const before = readScreen(screen(field('')), null);
    const after = readScreen(screen(field('Ada')), before);
    expect([...after.elements.keys()]).toEqual(['e1']);
  });
});

test('finds a text anywhere, ignoring case', () => {
  const root = screen(node({ children: [node({ text: 'Signed in as Ada' })] }));
  expect(isOnScreen(root, 'signed IN')).toBe(true);
  expect(isOnScreen(root, 'signed out')).toBe(false);
});

test('clamps the center of a partly visible element to the screen', () => {
  expect(middleOf(node({ at: [0.9, -0.5, 0.8, 0.2] }))).toEqual({ x: 1, y: 0 });
});

test('bounds the reading of an endless screen', () => {
  let deep = button('Deepest');
  for (let level = 0; level < 20_000; level += 1) deep = node({ children: [deep] });
  expect(isOnScreen(deep, 'Deepest')).toBe(false);
});
