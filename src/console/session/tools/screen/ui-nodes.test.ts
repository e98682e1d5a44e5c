import { expect, test } from 'vitest';
import type { UiNode } from '../../../../contract/sockets/control-methods.ts';
import { flatten, middleOf, nodeAt, searchNodes, swipeFrom } from './ui-nodes.ts';

const at = (role: string, x: number, y: number, width: number, height: number, children: UiNode[] = []) => ({
  role,
  bounds: { x, y, width, height },
  children,
});
const nodes = flatten(
  at('screen', 0, 0, 1, 1, [
    at('list', 0, 0, 1, 0.5, [at('row', 0, 0, 1, 0.1, [at('label', 0, 0, 1, 0.1)])]),
    at('button', 0.5, 0.25, 0.25, 0.5),
  ]),
);

test('lists each node before its children', () => {
  expect(nodes.map(({ node, path, depth }) => `${depth} ${path} ${node.role}`)).toEqual([
    '0 0 screen',
    '1 0.0 list',
    '2 0.0.0 row',
    '3 0.0.0.0 label',
    '1 0.1 button',
  ]);
});

test.each([
  [0.6, 0.45, 'button'],
  [0.5, 0.05, 'label'],
  [0.1, 0.3, 'list'],
  [0.1, 0.9, 'screen'],
  [0.75, 0.6, 'screen'],
])('finds at %d, %d the %s', (x, y, role) => {
  expect(nodeAt(nodes, x, y)?.node.role).toBe(role);
});

test('searches roles, texts and ids', () => {
  const found = (search: string) => searchNodes(nodes, search).map(({ path }) => path);
  expect(found('LAB')).toEqual(['0.0.0.0']);
  expect(found(' ')).toHaveLength(nodes.length);
  expect(found('nothing')).toEqual([]);
});

test('finds nothing outside the screen', () => {
  expect(nodeAt(nodes, 1, 0.5)).toBeNull();
});

test('taps the middle of the visible part of a node', () => {
  expect(middleOf(at('button', 0.5, 0.25, 0.25, 0.5))).toEqual({ x: 0.625, y: 0.5 });
  expect(middleOf(at('list', 0, 0.5, 1, 9))).toEqual({ x: 0.5, y: 0.75 });
  expect(middleOf(at('above', 0, -1, 1, 0.5))).toEqual({ x: 0.5, y: 0 });
});

test('swipes across the middle and keeps off the edges', () => {
  const swipe = swipeFrom(at('screen', 0, 0, 1, 1), 'up');
  expect([swipe.x1, swipe.x2]).toEqual([0.5, 0.5]);
  expect(swipe.y1).toBeCloseTo(0.675);
  expect(swipe.y2).toBeCloseTo(0.325);
  expect(swipeFrom(at('hint', 0.2, 0.95, 0.6, 0.05), 'down')).toMatchObject({ y2: 0.94 });
  expect(swipeFrom(at('row', 0, 0.5, 1, 0.1), 'right')).toMatchObject({ y1: 0.55, y2: 0.55 });
});
