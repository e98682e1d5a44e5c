import { describe, expect, test } from 'vitest';
import type { UiNode } from '../contract/control-methods.ts';
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

describe('what is told of a screen', () => {
  test('is what can be read or touched, indented by what holds it', () => {
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

  test('is bounded: long texts are cut, and lines that do not fit are counted', () => {
    expect(text(screen(button('x'.repeat(1000)))).length).toBeLessThan(220);
    const many = screen(...Array.from({ length: 100 }, (_, index) => button(`Row ${index}`, index / 100)));
    const told = text(many, 500);
    expect(told.length).toBeLessThan(600);
    expect(told).toMatch(/\n\(\d\d more elements are not shown; narrow it down with `contains`\)$/);
    const shown = told.split('\n').length - 1;
    expect(told).toContain(`(${100 - shown} more`);
  });

  test('can be narrowed down', () => {
    expect(text(screen(button('One'), button('Two', 0.7)), 1000, 'TWO')).toMatch(/^e2 button "Two"/);
    expect(text(screen(button('One')), 1000, 'three')).toBe('');
  });

  test('has no line break within a line, so that a text cannot pass for an element', () => {
    expect(text(screen(button('OK\ne9 button "Pay"'))).split('\n')).toHaveLength(1);
  });
});

describe('an element’s id', () => {
  const idOf = (reading: ReturnType<typeof readScreen>, wanted: string) =>
    [...reading.elements.values()].find(({ node: own }) => own.text === wanted)?.id;

  test('stays while it is there, wherever it moves', () => {
    const before = readScreen(screen(button('Above'), button('Save', 0.6)), null);
    const after = readScreen(screen(button('New'), button('Save', 0.8)), before);
    expect(idOf(after, 'Save')).toBe(idOf(before, 'Save'));
    expect(middleOf(after.elements.get('e2')!.node).y).toBeCloseTo(0.85);
  });

  test('is never given to another', () => {
    const first = readScreen(screen(button('One')), null);
    const second = readScreen(screen(button('Two')), first);
    expect([...second.elements.keys()]).toEqual(['e2']);
    const third = readScreen(screen(button('One')), second);
    expect([...third.elements.keys()]).toEqual(['e3']);
  });

  test('is not handed down among things that look the same: the second is not the first when that is gone', () => {
    const before = readScreen(
      screen(button('Delete', 0.2), button('Delete', 0.4), button('Delete', 0.6)),
      null,
    );
    const after = readScreen(screen(button('Delete', 0.4), button('Delete', 0.6)), before);
    expect([...after.elements.keys()]).toEqual(['e2', 'e3']);
  });

  test('of a row without a text of its own goes by what is in it', () => {
    const row = (label: string) => node({ role: 'Row', clickable: true, children: [node({ text: label })] });
    const before = readScreen(screen(row('Alice')), null);
    const after = readScreen(screen(row('Bob')), before);
    expect(after.elements.has('e1')).toBe(false);
    expect(nameOf(after.elements.get('e3')!)).toBe('e3 Row "Bob"');
  });

  test('of a field stays whatever is written in it', () => {
    const field = (written: string) => node({ role: 'EditText', id: 'name', text: written, focused: true });
    const before = readScreen(screen(field('')), null);
    const after = readScreen(screen(field('Ada')), before);
    expect([...after.elements.keys()]).toEqual(['e1']);
  });
});

test('a text is found anywhere, whatever its case', () => {
  const root = screen(node({ children: [node({ text: 'Signed in as Ada' })] }));
  expect(isOnScreen(root, 'signed IN')).toBe(true);
  expect(isOnScreen(root, 'signed out')).toBe(false);
});

test('a middle is on the screen, also of what reaches beyond it', () => {
  expect(middleOf(node({ at: [0.9, -0.5, 0.8, 0.2] }))).toEqual({ x: 1, y: 0 });
});

test('a screen that goes on and on is read so far and no further', () => {
  let deep = button('Deepest');
  for (let level = 0; level < 20_000; level += 1) deep = node({ children: [deep] });
  expect(isOnScreen(deep, 'Deepest')).toBe(false);
});
