import type { UiNode } from '../../../../contract/sockets/control-methods.ts';

export interface PlacedNode {
  node: UiNode;
  /**
   * Path in the tree, such as `0.2.1`. It stays the same after the screen is read again, as long as the structure
   * does.
   */
  path: string;
  depth: number;
}

/** Returns all nodes on the screen, each before its children. */
export function flatten(root: UiNode, path = '0', depth = 0): PlacedNode[] {
  const inside = (root.children ?? []).flatMap((child, at) => flatten(child, `${path}.${at}`, depth + 1));
  return [{ node: root, path, depth }, ...inside];
}

/** Returns the nodes whose role, text or id contains a text, ignoring case. */
export function searchNodes(nodes: readonly PlacedNode[], search: string): readonly PlacedNode[] {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return nodes;
  return nodes.filter(({ node }) =>
    [node.role, node.text, node.id].some((value) => value?.toLowerCase().includes(wanted)),
  );
}

/**
 * Returns the smallest node at a point (fractions of the screen), or the innermost of equally small ones. Null if
 * there is none.
 */
export function nodeAt(nodes: readonly PlacedNode[], x: number, y: number): PlacedNode | null {
  let best: PlacedNode | null = null;
  for (const placed of nodes) {
    const { bounds } = placed.node;
    const isInside =
      x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height;
    if (isInside && (!best || areaOf(placed.node) <= areaOf(best.node))) best = placed;
  }
  return best;
}

/** Returns the middle of a node's visible part, as fractions of the screen, to tap on. */
export function middleOf({ bounds: { x, y, width, height } }: UiNode): { x: number; y: number } {
  const within = (from: number, length: number) => {
    const [start, end] = [Math.max(0, from), Math.min(1, from + length)];
    return Math.min(1, Math.max(0, (start + end) / 2));
  };
  return { x: within(x, width), y: within(y, height) };
}

export const DIRECTIONS = ['up', 'down', 'left', 'right'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Distance of a swipe as a fraction of the screen, and its duration in milliseconds. */
const SWIPE = { distance: 0.35, ms: 200 };
/** Minimum distance from the edge. A swipe closer to the edge would trigger one of the phone's system gestures. */
const EDGE = 0.06;

/** Returns a swipe over the middle of a node, as fractions of the screen. */
export function swipeFrom(node: UiNode, direction: Direction) {
  const { x, y } = middleOf(node);
  const inside = (value: number) => Math.min(1 - EDGE, Math.max(EDGE, value));
  const across = direction === 'left' || direction === 'right';
  const half = (direction === 'up' || direction === 'left' ? -SWIPE.distance : SWIPE.distance) / 2;
  const along = (value: number) => [inside(value - half), inside(value + half)] as const;
  const [x1, x2] = across ? along(x) : [x, x];
  const [y1, y2] = across ? [y, y] : along(y);
  return { x1, y1, x2, y2, ms: SWIPE.ms };
}

const areaOf = ({ bounds }: UiNode) => bounds.width * bounds.height;
