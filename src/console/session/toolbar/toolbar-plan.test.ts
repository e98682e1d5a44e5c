import { expect, test } from 'vitest';
import { planToolbar } from './toolbar-plan.ts';

const groups = [
  ['back', 'home', 'apps', 'keyboard'],
  ['power', 'up', 'down', 'rotate'],
  ['screenshot', 'record'],
  ['fullscreen', 'tools', 'more'],
];
const leaving = ['rotate', 'down', 'up', 'power', 'record', 'fullscreen', 'screenshot'];
const plan = (room: number, direction: 'column' | 'row' = 'column') =>
  planToolbar({ room, direction, groups, leaving });

test.each([
  [795, { columns: 1, size: 'normal' }],
  [520, { columns: 1, size: 'small' }],
  [472, { columns: 2, size: 'normal' }],
  [300, { columns: 2, size: 'small' }],
])('shows every button in a space of %s px', (room, layout) => {
  expect(plan(room)).toEqual({ ...layout, groups, overflow: [] });
});

test('moves the least important buttons out of a space that is too low for two columns', () => {
  const { columns, size, overflow, groups: shown } = plan(220);
  expect({ columns, size }).toEqual({ columns: 2, size: 'small' });
  expect(overflow).toEqual(['power', 'up', 'down', 'rotate']);
  expect(shown).toEqual([groups[0], groups[2], groups[3]]);
});

test('keeps the buttons of a row large, and moves those out that do not fit', () => {
  const { size, overflow, groups: shown } = plan(366, 'row');
  expect(size).toBe('normal');
  expect(overflow).toEqual(['power', 'up', 'down', 'rotate', 'record', 'fullscreen']);
  expect(shown.flat()).toEqual(['back', 'home', 'apps', 'keyboard', 'screenshot', 'tools', 'more']);
});

test('keeps the required buttons, however small the space is', () => {
  expect(plan(0).groups.flat()).toEqual(['back', 'home', 'apps', 'keyboard', 'tools', 'more']);
});
