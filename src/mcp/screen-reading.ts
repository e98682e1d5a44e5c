import type { UiNode } from '../contract/sockets/control-methods.ts';

/** Maximum number of characters of one element's text; the rest is cut off. */
const MAX_TEXT_LENGTH = 160;
const MAX_INDENT = 12;
/** Maximum number of nodes read from one screen. Android's own limit is half of this. */
const MAX_NODES = 10_000;
/** Maximum number of nodes searched for the label of an element. A label is near the top of its subtree. */
const MAX_LABEL_NODES = 50;
/** Roles of on-screen keyboards: of simulated phones, and the view classes of Android's keyboards. */
const KEYBOARD_ROLE = /^(keyboard|(soft)?keyboardview|mainkeyboardview|latinkeyboardview)$/i;
/** Resource ids of the keyboards of AOSP, Google, Samsung, Microsoft and others. */
const KEYBOARD_PACKAGE = /^[\w.]*(inputmethod|honeyboard|swiftkey|keyboard)[\w.]*:id\//i;

/** An element of the screen that a model can refer to by its id. */
export interface ScreenElement {
  /** Such as `e12`. An element that was in the previous reading keeps its id. */
  id: string;
  node: UiNode;
  depth: number;
  /** The number of keys, if the element is an on-screen keyboard whose keys are not elements of the reading. */
  foldedKeys?: number;
}

/** The elements that were on a phone's screen at one time. */
export interface Reading {
  elements: ReadonlyMap<string, ScreenElement>;
  /** Ids by element key (see `keysOf`), for the next reading. */
  ids: ReadonlyMap<string, string>;
  lastNumber: number;
  /** Whether the keys of an on-screen keyboard are elements. */
  withKeys: boolean;
}

/**
 * Selects the elements that a person would see or touch, and omits pure layout containers. An element that was in the
 * previous reading keeps its id, and an id is never reused for another element. A tap on the id of an element that is
 * gone therefore fails, and does not hit the element that took its place. An on-screen keyboard is one element, unless
 * its keys are asked for.
 */
export function readScreen(root: UiNode, before: Reading | null, withKeys = false): Reading {
  const shown = shownNodes(root, withKeys);
  const keys = keysOf(shown.map(({ node }) => node));
  const elements = new Map<string, ScreenElement>();
  const ids = new Map<string, string>();
  let lastNumber = before?.lastNumber ?? 0;
  for (const [index, { node, depth, foldedKeys }] of shown.entries()) {
    const key = keys[index]!;
    let id = before?.ids.get(key);
    if (id === undefined) {
      lastNumber += 1;
      id = `e${lastNumber}`;
    }
    ids.set(key, id);
    elements.set(id, { id, node, depth, ...(foldedKeys !== undefined && { foldedKeys }) });
  }
  return { elements, ids, lastNumber, withKeys };
}

/**
 * Formats the reading as lines, at most `maxChars` characters in total. `contains` keeps only the lines with that
 * text.
 */
export function describeScreen({ elements }: Reading, maxChars: number, contains = ''): string {
  const wanted = contains.toLowerCase();
  const lines = [...elements.values()].map(lineOf).filter((line) => line.toLowerCase().includes(wanted));
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > maxChars) break;
    kept.push(line);
  }
  const left = lines.length - kept.length;
  if (left > 0) kept.push(`(${left} more elements are not shown; filter them with \`contains\`)`);
  return kept.join('\n');
}

/** How an answer refers to the element: `e4 button "Search"`. */
export function nameOf({ id, node }: ScreenElement): string {
  const text = isKeyboard(node) ? '' : (node.text ?? textWithin(node));
  return `${id} ${node.role}${text === '' ? '' : ` ${quote(text)}`}`;
}

/** Whether any element on the screen contains the text, ignoring case. */
export function isOnScreen(root: UiNode, text: string): boolean {
  const wanted = text.toLowerCase();
  return everyNode(root).some(({ node }) => node.text?.toLowerCase().includes(wanted) ?? false);
}

export function middleOf({ bounds }: UiNode): { x: number; y: number } {
  return { x: inside(bounds.x + bounds.width / 2), y: inside(bounds.y + bounds.height / 2) };
}

const inside = (fraction: number) => Math.min(1, Math.max(0, fraction));

function lineOf({ id, node, depth, foldedKeys }: ScreenElement): string {
  const { x, y } = middleOf(node);
  const words = [
    id,
    node.role,
    node.text ? quote(node.text) : '',
    node.id ? `#${node.id.split('/').at(-1)}` : '',
    ...(['clickable', 'focused', 'scrollable', 'checked'] as const).filter((flag) => node[flag]),
    `(${x.toFixed(2)},${y.toFixed(2)})`,
    foldedKeys === undefined ? '' : `with ${foldedKeys} keys; type_text does not need them`,
  ];
  return `${'  '.repeat(Math.min(depth, MAX_INDENT))}${words.filter((word) => word !== '').join(' ')}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH - 1)}…` : text);
}

interface PlacedNode {
  node: UiNode;
  depth: number;
  foldedKeys?: number;
}

function everyNode(
  root: UiNode,
  of: (node: UiNode) => boolean = () => true,
  { most = MAX_NODES, foldsKeyboard = false } = {},
): PlacedNode[] {
  const found: PlacedNode[] = [];
  const open: PlacedNode[] = [{ node: root, depth: 0 }];
  let looked = 0;
  for (let next = open.pop(); next && looked < most; next = open.pop()) {
    looked += 1;
    if (foldsKeyboard && isKeyboard(next.node)) {
      const keys = everyNode(next.node, ({ text, clickable }) => Boolean(text || clickable));
      found.push({ ...next, foldedKeys: keys.filter(({ node }) => node !== next.node).length });
      continue;
    }
    const isShown = of(next.node);
    if (isShown) found.push(next);
    const depth = next.depth + (isShown ? 1 : 0);
    for (const child of (next.node.children ?? []).toReversed()) open.push({ node: child, depth });
  }
  return found;
}

/** In reading order. Containers without a property of interest are omitted, and their children take their place. */
const shownNodes = (root: UiNode, withKeys: boolean) =>
  everyNode(
    root,
    ({ text, clickable, focused, scrollable, checked }) =>
      Boolean(text || clickable || focused || scrollable || checked),
    { foldsKeyboard: !withKeys },
  );

const isKeyboard = ({ role, id, children = [] }: UiNode): boolean =>
  children.length > 0 && (KEYBOARD_ROLE.test(role) || (id !== undefined && KEYBOARD_PACKAGE.test(id)));

const FIELD = /edit|field|input/i;

/**
 * Returns the keys by which elements are matched between readings: role, id and text, and also the position when
 * these are not unique. The content of an input field with an id is not part of its key, because it changes while a
 * user types. For an element without text, the text of its descendants is used.
 */
function keysOf(nodes: UiNode[]): string[] {
  const plain = nodes.map((node) => {
    const isNamedField = node.id !== undefined && FIELD.test(node.role);
    const isUnnamed = isNamedField || isKeyboard(node);
    return JSON.stringify([node.role, node.id, isUnnamed ? '' : (node.text ?? textWithin(node))]);
  });
  const counts = new Map<string, number>();
  for (const key of plain) counts.set(key, (counts.get(key) ?? 0) + 1);
  const seen = new Set<string>();
  return plain.map((key, index) => {
    const { x, y, width, height } = nodes[index]!.bounds;
    const place = [x, y, width, height].map((side) => side.toFixed(3)).join();
    let own = counts.get(key) === 1 ? key : `${key} at ${place}`;
    // Two elements with the same bounds are distinguished by their order.
    while (seen.has(own)) own += "'";
    seen.add(own);
    return own;
  });
}

/** The texts in a node and its descendants, joined. A button may have its label in a child node. */
function textWithin(node: UiNode): string {
  const nodes = everyNode(node, undefined, { most: MAX_LABEL_NODES });
  const texts = nodes.flatMap(({ node: inner }) => (inner.text ? [inner.text] : []));
  return texts.join(' ').slice(0, MAX_TEXT_LENGTH);
}
