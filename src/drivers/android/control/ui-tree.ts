import type { UiNode } from '../../../contract/sockets/control-methods.ts';

/** uiautomator's file has an element for each view. A larger tree is truncated here. */
const MAX_NODES = 5_000;
/**
 * Maximum nesting of views: far deeper than a real screen, and small enough for the recursion of a JSON serializer.
 */
const MAX_DEPTH = 200;
const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

interface OpenNode extends UiNode {
  children: UiNode[];
}

type Attributes = Map<string, string>;

interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * Parses the XML of `uiautomator dump`: `<node>` in `<node>`, all data in attributes, bounds as `[x1,y1][x2,y2]` in
 * pixels. The screen is the area that all nodes cover together.
 */
export function parseUiTree(xml: string): UiNode {
  const tags = [...tagsOf(xml)];
  const screen = screenOf(tags);
  const root: OpenNode = { role: 'screen', bounds: { x: 0, y: 0, width: 1, height: 1 }, children: [] };
  const open = [root];
  for (const { attributes, isEmpty } of tags) {
    if (attributes === null) {
      if (open.length > 1) open.pop();
      continue;
    }
    const node = toNode(attributes, screen);
    open.at(-1)!.children.push(node);
    if (!isEmpty) open.push(node);
    if (open.length > MAX_DEPTH) break;
  }
  return root;
}

interface Tag {
  /** Null: the tag closes a node. */
  attributes: Attributes | null;
  isEmpty: boolean;
}

/** Scans the text in a single pass, because the phone's output is not trusted. */
function* tagsOf(xml: string): Generator<Tag> {
  const start = /<(\/?)node\b/g;
  const attribute = /\s+([\w:-]+)="([^"]*)"/y;
  const end = /\s*(\/?)>/y;
  let nodes = 0;
  for (let found = start.exec(xml); found && nodes < MAX_NODES; found = start.exec(xml)) {
    const attributes: Attributes = new Map();
    let at = start.lastIndex;
    for (;;) {
      attribute.lastIndex = at;
      const [whole, name, value] = attribute.exec(xml) ?? [];
      if (whole === undefined) break;
      attributes.set(name!, decodeEntities(value!));
      at += whole.length;
    }
    end.lastIndex = at;
    start.lastIndex = at;
    const [, slash] = end.exec(xml) ?? [];
    if (slash === undefined) continue;
    if (found[1]) yield { attributes: null, isEmpty: false };
    else yield { attributes, isEmpty: slash !== '' };
    nodes += 1;
  }
}

function toNode(attributes: Attributes, screen: { width: number; height: number }): OpenNode {
  const value = (name: string) => attributes.get(name) ?? '';
  const { left, top, right, bottom } = boundsOf(attributes);
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
    ...(value('class') ? { class: value('class') } : {}),
    ...(value('package') ? { package: value('package') } : {}),
    ...(value('content-desc') ? { description: value('content-desc') } : {}),
    ...(value('enabled') === 'false' ? { enabled: false } : {}),
    ...(value('checkable') === 'true' ? { checkable: true } : {}),
    ...(value('focusable') === 'true' ? { focusable: true } : {}),
    ...(value('long-clickable') === 'true' ? { long_clickable: true } : {}),
    ...(value('password') === 'true' ? { password: true } : {}),
    ...(value('selected') === 'true' ? { selected: true } : {}),
    bounds: {
      x: left / screen.width,
      y: top / screen.height,
      width: (right - left) / screen.width,
      height: (bottom - top) / screen.height,
    },
    children: [],
  };
}

function boundsOf(attributes: Attributes): Bounds {
  const match = /^\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]$/.exec(
    attributes.get('bounds') ?? '',
  );
  const [left = 0, top = 0, right = 0, bottom = 0] = match?.slice(1).map(Number) ?? [];
  return { left, top, right, bottom };
}

function screenOf(tags: Tag[]): { width: number; height: number } {
  const size = { width: 1, height: 1 };
  for (const { attributes } of tags) {
    if (!attributes) continue;
    const { right, bottom } = boundsOf(attributes);
    size.width = Math.max(size.width, right);
    size.height = Math.max(size.height, bottom);
  }
  return size;
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16);
    if (code >= 0 && code <= 0x10_ffff) return String.fromCodePoint(code);
    return ENTITIES.get(name) ?? whole;
  });
}
