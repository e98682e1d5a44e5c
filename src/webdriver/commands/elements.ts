import { setTimeout as delay } from 'node:timers/promises';
import { ANDROID_META } from '../../contract/sockets/android-keys.ts';
import { MAX_TEXT_LENGTH } from '../../contract/sockets/control-methods.ts';
import type { Command, Handler, Rect } from '../phone.ts';
import { WebDriverError } from '../protocol/errors.ts';
import { typedParts } from '../protocol/keys.ts';
import { readArray, readString } from '../protocol/values.ts';
import { ELEMENT_KEY, ElementReferences } from '../screen/element-references.ts';
import { readScreen, type Screen, type ScreenElement, visiblePart } from '../screen/screen.ts';

/** Time that a tapped field may take to receive the focus, and the interval at which the screen is read, ms. */
const FOCUS_MS = 1_000;
const POLL_MS = 50;
/** A field that reports no focus has received it by then. */
const UNREPORTED_FOCUS_MS = 300;

/** Other names of attributes that clients use. */
const ATTRIBUTE_NAMES: Readonly<Record<string, string>> = {
  resourceId: 'resource-id',
  contentDescription: 'content-desc',
  className: 'class',
  longClickable: 'long-clickable',
};

export interface Located {
  screen: Screen;
  element: ScreenElement;
}

/** @throws WebDriverError when the element is stale or not one of this session */
export async function locate({ phone, sessionId }: Command, reference: string): Promise<Located> {
  const screen = await readScreen(phone);
  return { screen, element: new ElementReferences(screen, sessionId).resolve(reference) };
}

const located = (command: Command) => locate(command, command.params.element!);

/** The visible part of an element, in pixels. @throws WebDriverError `element not interactable` */
export function partOnScreen({ screen: { size }, element }: Located): Rect {
  const part = visiblePart(element, size);
  if (part) return part;
  throw new WebDriverError('element not interactable', 'the element is not displayed; scroll to it first');
}

/** The middle of the visible part, as fractions of the screen. @throws WebDriverError `element not interactable` */
export function middleOf(found: Located): { x: number; y: number } {
  const { size } = found.screen;
  const part = partOnScreen(found);
  return { x: (part.x + part.width / 2) / size.width, y: (part.y + part.height / 2) / size.height };
}

const click: Handler = async (command) => {
  await command.phone.call('tap', middleOf(await located(command)));
  return null;
};

const clear: Handler = async (command) => {
  const { phone } = command;
  const { element } = await focused(command);
  if (element.attributes.text === '') return null;
  await phone.call('key', { key: 'A', meta: ANDROID_META.ctrl });
  await phone.call('key', { key: 'DEL' });
  return null;
};

const sendKeys: Handler = async (command) => {
  const { phone, body } = command;
  const text = typeof body.text === 'string' ? body.text : joined(body.value);
  const parts = typedParts(readString(text, 'text', MAX_TEXT_LENGTH));
  const { element } = await focused(command);
  // A tap puts the cursor where the finger is. Typed text is appended (W3C WebDriver, section 12.5.3).
  if (element.attributes.text !== '') await phone.call('key', { key: 'MOVE_END' });
  for (const part of parts) {
    if ('text' in part) await phone.call('text', { text: part.text });
    else await phone.call('key', part);
  }
  return null;
};

/** Clients of the protocol before W3C send the characters one by one. */
const joined = (value: unknown): unknown =>
  Array.isArray(value) ? readArray(value, 'value', MAX_TEXT_LENGTH).join('') : value;

/** Gives the focus to the element, by a tap if it does not have it. */
async function focused(command: Command): Promise<Located> {
  const target = await located(command);
  if (target.element.attributes.focused === 'true') return target;
  await command.phone.call('tap', middleOf(target));
  const start = performance.now();
  for (let now = target; ; now = await located(command)) {
    const waited = performance.now() - start;
    if (now.element.attributes.focused === 'true' || waited > FOCUS_MS) return now;
    const isAnyFocused = now.screen.elements.some(({ attributes }) => attributes.focused === 'true');
    if (!isAnyFocused && waited > UNREPORTED_FOCUS_MS) return now;
    await delay(POLL_MS, undefined, { signal: command.signal });
  }
}

const attribute: Handler = async (command) => {
  const { element } = await located(command);
  const name = ATTRIBUTE_NAMES[command.params.name!] ?? command.params.name!;
  const { attributes } = element;
  if (name === 'name') return attributes['content-desc'] || attributes.text;
  return Object.hasOwn(attributes, name) ? attributes[name as keyof typeof attributes] : null;
};

const text: Handler = async (command) => (await located(command)).element.attributes.text;
const tagName: Handler = async (command) => (await located(command)).element.attributes.class;
const rect: Handler = async (command) => (await located(command)).element.rect;
const displayed: Handler = async (command) =>
  (await located(command)).element.attributes.displayed === 'true';
const enabled: Handler = async (command) => (await located(command)).element.attributes.enabled === 'true';

const selected: Handler = async (command) => {
  const { attributes } = (await located(command)).element;
  return attributes.selected === 'true' || attributes.checked === 'true';
};

const screenshot: Handler = async (command) => {
  const part = partOnScreen(await located(command));
  return Buffer.from(await command.phone.screenshot(part)).toString('base64');
};

const active: Handler = async ({ phone, sessionId }) => {
  const screen = await readScreen(phone);
  const found = screen.elements.find(({ attributes }) => attributes.focused === 'true');
  if (!found) throw new WebDriverError('no such element', 'no element has the focus');
  return { [ELEMENT_KEY]: new ElementReferences(screen, sessionId).of(found) };
};

export const ELEMENT_COMMANDS: Record<string, Handler> = {
  'GET /element/active': active,
  'POST /element/{element}/click': click,
  'POST /element/{element}/clear': clear,
  'POST /element/{element}/value': sendKeys,
  'GET /element/{element}/attribute/{name}': attribute,
  'GET /element/{element}/property/{name}': attribute,
  'GET /element/{element}/text': text,
  'GET /element/{element}/name': tagName,
  'GET /element/{element}/rect': rect,
  'GET /element/{element}/displayed': displayed,
  'GET /element/{element}/enabled': enabled,
  'GET /element/{element}/selected': selected,
  'GET /element/{element}/screenshot': screenshot,
};
