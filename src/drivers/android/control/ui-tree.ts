import type { UiNode } from '../../../contract/control-methods.ts';

/** uiautomator's file has an element for each view; a screen with more is cut there. */
const MAX_NODES = 5_000;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface OpenNode extends UiNode {
  children: UiNode[];
}

/**
 * Reads the XML of `uiautomator dump`: `<node>` in `<node>`, everything in attributes, bounds as `[x1,y1][x2,y2]` in
 * px. The whole screen is what the outermost nodes cover together.
 */
export function parseUiTree(xml: string): UiNode {
  const screen = screenOf(xml);
  const root: OpenNode = { role: 'screen', bounds: { x: 0, y: 0, width: 1, height: 1 }, children: [] };
  const open = [root];
  let count = 0;
  for (const [, closing, attributes = '', empty] of xml.matchAll(
    /<(\/?)node\b((?:[^>"]|"[^"]*")*?)(\/?)>/g,
  )) {
    if (closing) {
      if (open.length > 1) open.pop();
      continue;
    }
    if (++count > MAX_NODES) break;
    const node = toNode(attributes, screen);
    open.at(-1)!.children.push(node);
    if (!empty) open.push(node);
  }
  return root;
}

function toNode(attributes: string, screen: { width: number; height: number }): OpenNode {
  const value = (name: string) =>
    decodeEntities(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = (value('bounds').match(/-?\d+/g) ?? []).map(Number);
  const text = value('text') || value('content-desc');
  const id = value('resource-id');
  return {
    role: value('class').split('.').at(-1) || 'View',
    ...(text ? { text } : {}),
    ...(id ? { id } : {}),
    ...(value('clickable') === 'true' ? { clickable: true } : {}),
    ...(value('focused') === 'true' ? { focused: true } : {}),
    ...(value('scrollable') === 'true' ? { scrollable: true } : {}),
    ...(value('checked') === 'true' ? { checked: true } : {}),
    bounds: {
      x: x1 / screen.width,
      y: y1 / screen.height,
      width: (x2 - x1) / screen.width,
      height: (y2 - y1) / screen.height,
    },
    children: [],
  };
}

function screenOf(xml: string): { width: number; height: number } {
  let width = 1;
  let height = 1;
  for (const [, right, bottom] of xml.matchAll(/bounds="\[-?\d+,-?\d+\]\[(-?\d+),(-?\d+)\]"/g)) {
    width = Math.max(width, Number(right));
    height = Math.max(height, Number(bottom));
  }
  return { width, height };
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16);
    if (code >= 0 && code <= 0x10_ffff) return String.fromCodePoint(code);
    return ENTITIES[name] ?? whole;
  });
}
