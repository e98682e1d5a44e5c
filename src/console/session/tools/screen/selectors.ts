import type { UiNode } from '../../../../contract/sockets/control-methods.ts';
import type { Size } from '../../use-fit.ts';
import type { PlacedNode } from './ui-nodes.ts';

/** Returns a text as a literal of XPath 1.0, which has no escapes. */
function literal(text: string): string {
  if (!text.includes('"')) return `"${text}"`;
  if (!text.includes("'")) return `'${text}'`;
  return `concat("${text.replaceAll('"', `", '"', "`)}")`;
}

/**
 * Returns an XPath expression that finds only this node: by its id, otherwise by its text, otherwise by its position. It
 * suits the hierarchy of Appium's UiAutomator2 driver and the exported file.
 */
export function xpathOf({ node, path }: PlacedNode, nodes: readonly PlacedNode[]): string {
  const byId = node.id !== undefined && `//*[@resource-id=${literal(node.id)}]`;
  // The text of a node is its text or, without one, its content description.
  const byText =
    node.text !== undefined && `//*[@text=${literal(node.text)} or @content-desc=${literal(node.text)}]`;
  const found = byId || byText;
  if (!found) {
    const steps = path.split('.').slice(1);
    return `/*${steps.map((step) => `/*[${Number(step) + 1}]`).join('')}`;
  }
  const { place, count } = placeAmongEqual({ node, path }, nodes, byId ? 'id' : 'text');
  return count > 1 ? `(${found})[${place + 1}]` : found;
}

/** Returns a selector for Appium's strategy `-android uiautomator`, or null for a node without an id. */
export function appiumSelectorOf(placed: PlacedNode, nodes: readonly PlacedNode[]): string | null {
  const { id } = placed.node;
  if (id === undefined) return null;
  const { place, count } = placeAmongEqual(placed, nodes, 'id');
  const escaped = id.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `new UiSelector().resourceId("${escaped}")${count > 1 ? `.instance(${place})` : ''}`;
}

function placeAmongEqual(
  { node, path }: Omit<PlacedNode, 'depth'>,
  nodes: readonly PlacedNode[],
  key: 'id' | 'text',
) {
  const equal = nodes.filter((other) => other.node[key] === node[key]);
  return { place: equal.findIndex((other) => other.path === path), count: equal.length };
}

/** Returns the nodes as XML in the format of `uiautomator dump`, with bounds in pixels of the screen. */
export function xmlOf(root: UiNode, screen: Size): string {
  const lines = (root.children ?? []).flatMap((child) => linesOf(child, screen, '  '));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<hierarchy>\n${lines.join('')}</hierarchy>\n`;
}

function linesOf(node: UiNode, screen: Size, indent: string): string[] {
  const { x, y, width, height } = node.bounds;
  const px = (value: number, of: number) => Math.round(value * of);
  const [left, top] = [px(x, screen.width), px(y, screen.height)];
  const [right, bottom] = [px(x + width, screen.width), px(y + height, screen.height)];
  const attributes = {
    class: node.role,
    text: node.text ?? '',
    'resource-id': node.id ?? '',
    clickable: node.clickable === true,
    focused: node.focused === true,
    scrollable: node.scrollable === true,
    checked: node.checked === true,
    bounds: `[${left},${top}][${right},${bottom}]`,
  };
  const tag = `${indent}<node ${Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeXml(String(value))}"`)
    .join(' ')}`;
  const inside = (node.children ?? []).flatMap((child) => linesOf(child, screen, `${indent}  `));
  return inside.length === 0 ? [`${tag} />\n`] : [`${tag}>\n`, ...inside, `${indent}</node>\n`];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Removes the characters that XML 1.0 does not allow. */
function escapeXml(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      if (code === 9 || code === 10 || code === 13) return `&#${code};`;
      const isAllowed =
        code >= 0x20 && !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfffe && code !== 0xffff;
      return isAllowed ? (ENTITIES[character] ?? character) : '';
    })
    .join('');
}
