import type { UiNode } from '../../contract/sockets/control-methods.ts';
import type { AutomatedPhone, Rect, Size } from '../phone.ts';

/** Maximum number of elements of one screen; twice the limit of the Android driver. */
const MAX_ELEMENTS = 10_000;
const MAX_DEPTH = 200;

/** An element of the screen, with the attributes that UiAutomator2 gives to it. */
export interface ScreenElement {
  /** Position in document order. */
  index: number;
  parent: ScreenElement | null;
  children: ScreenElement[];
  /** In pixels. */
  rect: Rect;
  attributes: ElementAttributes;
}

export type ElementAttributes = Record<(typeof ATTRIBUTES)[number], string>;

/** The attributes in the order in which UiAutomator2 writes them. */
export const ATTRIBUTES = [
  'index',
  'package',
  'class',
  'text',
  'content-desc',
  'resource-id',
  'checkable',
  'checked',
  'clickable',
  'enabled',
  'focusable',
  'focused',
  'long-clickable',
  'password',
  'scrollable',
  'selected',
  'bounds',
  'displayed',
] as const;

export interface Screen {
  size: Size;
  elements: ScreenElement[];
}

/** The Android classes of the roles of simulated phones. */
const CLASSES: Readonly<Record<string, string>> = {
  button: 'android.widget.Button',
  key: 'android.widget.Button',
  text: 'android.widget.TextView',
  heading: 'android.widget.TextView',
  link: 'android.widget.TextView',
  toast: 'android.widget.Toast',
  textfield: 'android.widget.EditText',
  switch: 'android.widget.Switch',
  radio: 'android.widget.RadioButton',
  slider: 'android.widget.SeekBar',
  image: 'android.widget.ImageView',
  icon: 'android.widget.ImageView',
  list: 'android.widget.ListView',
  menu: 'android.widget.ListView',
  document: 'android.webkit.WebView',
  phone: 'android.widget.FrameLayout',
  screen: 'android.widget.FrameLayout',
};
const OTHER_CLASS = 'android.view.ViewGroup';
const CHECKABLE = /Switch|CheckBox|RadioButton|ToggleButton/;
const FOCUSABLE = /EditText/;

/** Reads what is on the screen now. */
export async function readScreen(phone: AutomatedPhone): Promise<Screen> {
  const { root } = await phone.call('ui.tree', {});
  return screenOf(root as UiNode, phone.size);
}

export function screenOf(root: UiNode, size: Size): Screen {
  const elements: ScreenElement[] = [];
  const visit = (node: UiNode, parent: ScreenElement | null, position: number, depth: number) => {
    if (elements.length >= MAX_ELEMENTS || depth > MAX_DEPTH) return;
    const rect = pixels(node.bounds, size);
    const attributes = {
      ...attributesOf(node, position, rect, size),
      package: node.package ?? parent?.attributes.package ?? '',
    };
    const element = { index: elements.length, parent, children: [], rect, attributes };
    elements.push(element);
    parent?.children.push(element);
    for (const [at, child] of (node.children ?? []).entries()) visit(child, element, at, depth + 1);
  };
  // The Android driver adds a root that stands for the whole screen.
  const tops = root.role === 'screen' && root.class === undefined && root.children ? root.children : [root];
  for (const [at, top] of tops.entries()) visit(top, null, at, 0);
  return { size, elements };
}

function pixels({ x, y, width, height }: Rect, size: Size): Rect {
  const left = Math.round(x * size.width);
  const top = Math.round(y * size.height);
  return {
    x: left,
    y: top,
    width: Math.round((x + width) * size.width) - left,
    height: Math.round((y + height) * size.height) - top,
  };
}

function attributesOf(
  node: UiNode,
  position: number,
  rect: Rect,
  size: Size,
): Omit<ElementAttributes, 'package'> {
  const className = classOf(node);
  // The driver of Android puts the description into `text` if a view has no text of its own.
  const description =
    node.description ?? (node.class === undefined && node.clickable ? (node.text ?? '') : '');
  const hasOwnText = node.description === undefined || node.text !== node.description;
  const checkable = node.checkable ?? CHECKABLE.test(className);
  const flags = {
    checkable,
    checked: node.checked,
    clickable: node.clickable,
    enabled: node.enabled ?? true,
    focusable: node.focusable ?? (node.focused || FOCUSABLE.test(className)),
    focused: node.focused,
    'long-clickable': node.long_clickable,
    password: node.password,
    scrollable: node.scrollable,
    selected: node.selected,
    displayed: isVisible(rect, size),
  };
  return {
    index: String(position),
    class: className,
    text: hasOwnText ? (node.text ?? '') : '',
    'content-desc': description,
    'resource-id': node.id ?? '',
    ...(Object.fromEntries(
      Object.entries(flags).map(([name, isSet]) => [name, String(isSet ?? false)]),
    ) as Record<keyof typeof flags, string>),
    bounds: `[${rect.x},${rect.y}][${rect.x + rect.width},${rect.y + rect.height}]`,
  };
}

function classOf({ class: own, role }: UiNode): string {
  if (own !== undefined) return own;
  return Object.hasOwn(CLASSES, role) ? CLASSES[role]! : OTHER_CLASS;
}

const isVisible = ({ x, y, width, height }: Rect, size: Size) =>
  width > 0 && height > 0 && x < size.width && y < size.height && x + width > 0 && y + height > 0;

/** The part of the element that is on the screen; null if there is none. */
export function visiblePart({ rect }: ScreenElement, size: Size): Rect | null {
  if (!isVisible(rect, size)) return null;
  const x = Math.max(0, rect.x);
  const y = Math.max(0, rect.y);
  const width = Math.min(size.width, rect.x + rect.width) - x;
  return { x, y, width, height: Math.min(size.height, rect.y + rect.height) - y };
}

/** The elements below this one, in document order. */
export function descendantsOf({ elements }: Screen, root: ScreenElement): ScreenElement[] {
  let end = root.index + 1;
  while (end < elements.length && isWithin(elements[end]!, root)) end += 1;
  return elements.slice(root.index + 1, end);
}

function isWithin(element: ScreenElement, root: ScreenElement): boolean {
  for (let at = element.parent; at; at = at.parent) if (at === root) return true;
  return false;
}
