import { setTimeout as delay } from 'node:timers/promises';
import { MAX_TEXT_LENGTH } from '../../contract/sockets/control-methods.ts';
import { DEFAULT_HOLD_MS } from '../../contract/sockets/gesture-times.ts';
import type { Command, Handler, Rect } from '../phone.ts';
import { WebDriverError } from '../protocol/errors.ts';
import { androidKeyName } from '../protocol/keys.ts';
import {
  type JsonObject,
  optional,
  readArray,
  readInteger,
  readNumber,
  readObject,
  readOneOf,
  readString,
} from '../protocol/values.ts';
import { ELEMENT_KEY } from '../screen/element-references.ts';
import { readScreen, visiblePart } from '../screen/screen.ts';
import { locate, middleOf } from './elements.ts';

/** The arguments of a `mobile:` command, and the command that contains them. */
type Mobile = (args: JsonObject, command: Command) => Promise<unknown>;

const MAX_ARGUMENTS = 100;
const PIXELS = { min: -100_000, max: 100_000 };
/** Speed of a gesture in pixels per second, unless the client gives one. */
const DEFAULT_SPEED = 2_500;
const GESTURE_MS = { min: 50, max: 10_000 };
const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;
type Direction = keyof typeof DIRECTIONS;
/** The states of Appium's queryAppState that can be told apart. */
const APP_STATE = { notInstalled: 0, notRunning: 1, foreground: 4 };

const packageOf = (args: JsonObject) =>
  readString(args.appId ?? args.bundleId ?? args.packageName, 'appId', 255);

const activateApp: Mobile = async (args, { phone }) => {
  await phone.call('app.launch', { package: packageOf(args) });
  return null;
};

const terminateApp: Mobile = async (args, { phone }) => {
  await phone.call('app.stop', { package: packageOf(args) });
  return true;
};

const installApp: Mobile = async (args, { phone }) => {
  await phone.install(readString(args.appPath ?? args.app, 'app', 1024));
  return null;
};

const removeApp: Mobile = async (args, command) => {
  const name = packageOf(args);
  if (!(await isInstalled(name, command))) return false;
  await command.phone.call('app.uninstall', { package: name });
  return true;
};

async function isInstalled(name: string, { phone }: Command): Promise<boolean> {
  const { apps } = await phone.call('app.list', {});
  return apps.some((app) => app.package === name);
}

const queryAppState: Mobile = async (args, command) => {
  const name = packageOf(args);
  if (!(await isInstalled(name, command))) return APP_STATE.notInstalled;
  const { elements } = await readScreen(command.phone);
  const isShown = elements.some(({ attributes }) => attributes.package === name);
  return isShown ? APP_STATE.foreground : APP_STATE.notRunning;
};

const deepLink: Mobile = async (args, { phone }) => {
  await phone.call('open_url', { url: readString(args.url, 'url', 4096) });
  return null;
};

const pressKey: Mobile = async ({ keycode, metastate }, { phone }) => {
  const code = readInteger(keycode, 'keycode', { min: 0, max: 10_000 });
  const key = androidKeyName(code);
  if (key === undefined)
    throw new WebDriverError('invalid argument', `keycode ${code} is not an Android key code`);
  const meta = optional(metastate, (value) => readInteger(value, 'metastate', { min: 0, max: 0x7fffffff }));
  await phone.call('key', { key, ...(meta !== undefined && { meta }) });
  return null;
};

/** The area of a gesture: an element, or a rectangle in pixels. */
async function areaOf(args: JsonObject, command: Command): Promise<Rect> {
  const reference = args.elementId ?? args[ELEMENT_KEY];
  if (reference !== undefined) {
    const { screen, element } = await locate(command, readString(reference, 'elementId', 200));
    const part = visiblePart(element, screen.size);
    if (part) return part;
    throw new WebDriverError('element not interactable', 'the element is not displayed; scroll to it first');
  }
  const [x, y] = [readNumber(args.left, 'left', PIXELS), readNumber(args.top, 'top', PIXELS)];
  const width = readNumber(args.width, 'width', { min: 1, max: PIXELS.max });
  return { x, y, width, height: readNumber(args.height, 'height', { min: 1, max: PIXELS.max }) };
}

/** Moves a finger through the middle of the area. Returns whether the screen has changed. */
async function swipeThrough(args: JsonObject, command: Command, sign: 1 | -1): Promise<boolean> {
  const { phone } = command;
  const area = await areaOf(args, command);
  const direction = readOneOf(args.direction, 'direction', Object.keys(DIRECTIONS) as Direction[]);
  const percent = readNumber(args.percent ?? 1, 'percent', { min: 0.01, max: 10 });
  const speed = readNumber(args.speed ?? DEFAULT_SPEED, 'speed', { min: 1, max: 100_000 });
  const [right, down] = DIRECTIONS[direction];
  // The finger stays away from the edges, where the gestures of the system begin.
  const share = (Math.min(1, percent) * sign) / 2.2;
  const half = { x: right * area.width * share, y: down * area.height * share };
  const middle = { x: area.x + area.width / 2, y: area.y + area.height / 2 };
  const px = 2 * Math.hypot(half.x, half.y);
  const ms = Math.round(Math.min(GESTURE_MS.max, Math.max(GESTURE_MS.min, (px / speed) * 1000)));
  const [x1, y1] = fraction(middle.x - half.x, middle.y - half.y, command);
  const [x2, y2] = fraction(middle.x + half.x, middle.y + half.y, command);
  const before = positionsOn(await readScreen(phone));
  await phone.call('swipe', { x1, y1, x2, y2, ms });
  return positionsOn(await readScreen(phone)) !== before;
}

const positionsOn = ({ elements }: Awaited<ReturnType<typeof readScreen>>) =>
  elements.map(({ attributes: { text, bounds } }) => `${text} ${bounds}`).join('\n');

function fraction(x: number, y: number, { phone: { size } }: Command): [number, number] {
  const inside = (value: number) => Math.min(1, Math.max(0, value));
  return [inside(x / size.width), inside(y / size.height)];
}

const swipeGesture: Mobile = async (args, command) => {
  await swipeThrough(args, command, 1);
  return null;
};

/** Scrolls towards the direction, so the finger moves the other way. Returns whether there may be more. */
const scrollGesture: Mobile = (args, command) => swipeThrough(args, command, -1);

async function pointOf(args: JsonObject, command: Command): Promise<{ x: number; y: number }> {
  const reference = args.elementId ?? args[ELEMENT_KEY];
  if (reference !== undefined)
    return middleOf(await locate(command, readString(reference, 'elementId', 200)));
  const [x, y] = fraction(readNumber(args.x, 'x', PIXELS), readNumber(args.y, 'y', PIXELS), command);
  return { x, y };
}

const clickGesture: Mobile = async (args, command) => {
  await command.phone.call('tap', await pointOf(args, command));
  return null;
};

const doubleClickGesture: Mobile = async (args, command) => {
  const point = await pointOf(args, command);
  await command.phone.call('tap', point);
  await delay(60, undefined, { signal: command.signal });
  await command.phone.call('tap', point);
  return null;
};

const longClickGesture: Mobile = async (args, command) => {
  const ms = readInteger(args.duration ?? DEFAULT_HOLD_MS, 'duration', { min: 1, max: GESTURE_MS.max });
  await command.phone.call('long_press', { ...(await pointOf(args, command)), ms });
  return null;
};

const dragGesture: Mobile = async (args, command) => {
  const start = args.startX === undefined ? args : { x: args.startX, y: args.startY };
  const { x: x1, y: y1 } = await pointOf(start, command);
  const { x: x2, y: y2 } = await pointOf({ x: args.endX, y: args.endY }, command);
  await command.phone.call('swipe', { x1, y1, x2, y2, ms: 1_000 });
  return null;
};

/** Runs a command on the phone. Each argument is quoted for the phone's shell. */
const shell: Mobile = async (args, { phone }) => {
  const words = readArray(args.args ?? [], 'args', MAX_ARGUMENTS).map((word) =>
    readString(word, 'args', 8192),
  );
  const line = [readString(args.command, 'command', 8192), ...words.map(quoted)].join(' ');
  const { stdout, stderr } = await phone.call('shell', { command: line });
  return args.includeStderr === true ? { stdout, stderr } : stdout;
};

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

const getClipboard: Mobile = async (_, { phone }) =>
  Buffer.from((await phone.call('clipboard.get', {})).text).toString('base64');

const setClipboard: Mobile = async ({ content }, { phone }) => {
  const bytes = Buffer.from(readString(content, 'content', MAX_TEXT_LENGTH * 4), 'base64');
  await phone.call('clipboard.set', { text: bytes.toString('utf8') });
  return null;
};

const type: Mobile = async ({ text }, { phone }) => {
  await phone.call('text', { text: readString(text, 'text', MAX_TEXT_LENGTH) });
  return true;
};

const MOBILE: Readonly<Record<string, Mobile>> = {
  activateApp,
  terminateApp,
  installApp,
  removeApp,
  isAppInstalled: (args, command) => isInstalled(packageOf(args), command),
  queryAppState,
  deepLink,
  pressKey,
  swipeGesture,
  scrollGesture,
  clickGesture,
  doubleClickGesture,
  longClickGesture,
  dragGesture,
  shell,
  getClipboard,
  setClipboard,
  type,
};

/** `mobile: name` with one object of arguments. JavaScript cannot be executed on a native screen. */
const execute: Handler = async (command) => {
  const { script, args } = command.body;
  const name = /^mobile: *(\w{1,40})$/.exec(readString(script, 'script', 100_000))?.[1];
  if (name === undefined)
    throw new WebDriverError(
      'unsupported operation',
      'script must be a mobile: command, such as mobile: deepLink',
    );
  if (!Object.hasOwn(MOBILE, name))
    throw new WebDriverError(
      'unknown command',
      `mobile: ${name} does not exist; the commands are ${Object.keys(MOBILE).join(', ')}`,
    );
  const [first = {}] = readArray(args ?? [], 'args', 10);
  return MOBILE[name]!(readObject(first, 'args[0]'), command);
};

const asMobile =
  (mobile: Mobile): Handler =>
  (command) =>
    mobile(command.body, command);

export const MOBILE_COMMANDS: Record<string, Handler> = {
  'POST /execute/sync': execute,
  'POST /execute': execute,
  'POST /appium/device/activate_app': asMobile(activateApp),
  'POST /appium/device/terminate_app': asMobile(terminateApp),
  'POST /appium/device/install_app': asMobile(installApp),
  'POST /appium/device/remove_app': asMobile(removeApp),
  'POST /appium/device/app_installed': asMobile(MOBILE.isAppInstalled!),
  'POST /appium/device/app_state': asMobile(queryAppState),
  'POST /appium/device/press_keycode': asMobile(pressKey),
};
