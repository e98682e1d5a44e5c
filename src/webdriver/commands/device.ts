import type { Handler, SessionState } from '../phone.ts';
import { WebDriverError } from '../protocol/errors.ts';
import { optional, readInteger, readObject, readOneOf, readString } from '../protocol/values.ts';
import { readScreen } from '../screen/screen.ts';
import { sourceOf } from '../screen/source.ts';

/** The only context and window: the screen of the phone. */
const NATIVE = 'NATIVE_APP';
/** The only log. */
const LOGCAT = 'logcat';
const MAX_MS = 600_000;
const MAX_URL_LENGTH = 4096;

const source: Handler = async ({ phone }) => sourceOf(await readScreen(phone));
const screenshot: Handler = async ({ phone }) => Buffer.from(await phone.screenshot()).toString('base64');
const windowRect: Handler = async ({ phone }) => ({ x: 0, y: 0, ...phone.size });

const getOrientation: Handler = async ({ phone: { size } }) =>
  size.width > size.height ? 'LANDSCAPE' : 'PORTRAIT';

const setOrientation: Handler = async ({ phone, body }) => {
  const name = readString(body.orientation, 'orientation', 20).toUpperCase();
  const orientation = readOneOf(name, 'orientation', ['PORTRAIT', 'LANDSCAPE']);
  await phone.call('rotate', { orientation: orientation === 'PORTRAIT' ? 'portrait' : 'landscape' });
  return null;
};

const back: Handler = async ({ phone }) => {
  await phone.call('key', { key: 'BACK' });
  return null;
};

const openUrl: Handler = async ({ phone, body }) => {
  await phone.call('open_url', { url: readString(body.url, 'url', MAX_URL_LENGTH) });
  return null;
};

const getTimeouts: Handler = async ({ state: { implicitMs, pageLoadMs, scriptMs } }) => ({
  implicit: implicitMs,
  pageLoad: pageLoadMs,
  script: scriptMs,
});

const setTimeouts: Handler = async ({ body, state, save }) => {
  await save({ ...state, ...readTimeouts(body) });
  return null;
};

/** Reads the timeouts of W3C WebDriver (section 9.2). */
export function readTimeouts(value: unknown): Partial<SessionState> {
  const { implicit, pageLoad, script, ...others } = readObject(value, 'timeouts');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new WebDriverError('invalid argument', 'timeouts may have implicit, pageLoad and script only');
  const ms = (field: string) => (given: unknown) => readInteger(given, field, { min: 0, max: MAX_MS });
  const implicitMs = optional(implicit, ms('implicit'));
  const pageLoadMs = optional(pageLoad, ms('pageLoad'));
  return {
    ...(implicitMs !== undefined && { implicitMs }),
    ...(pageLoadMs !== undefined && { pageLoadMs }),
    ...(script !== undefined && { scriptMs: script === null ? null : ms('script')(script) }),
  };
}

/** The levels of Selenium, by that of Android. */
const LEVELS: Readonly<Record<string, string>> = { V: 'DEBUG', D: 'DEBUG', I: 'INFO', W: 'WARNING' };

/** The log since the last command. It begins with the first one. */
const log: Handler = async ({ phone, body }) => {
  readOneOf(body.type, 'type', [LOGCAT]);
  return (await phone.takeLog()).map(({ time, level, tag, message }) => ({
    timestamp: Date.parse(time),
    level: LEVELS[level] ?? 'SEVERE',
    message: `${level}/${tag}: ${message}`,
  }));
};

const logTypes: Handler = async () => [LOGCAT];

const setContext: Handler = async ({ body }) => {
  if (body.name === NATIVE) return null;
  throw new WebDriverError('no such window', `name must be ${NATIVE}: web views are not supported`);
};

const isKeyboardShown: Handler = async ({ phone }) =>
  (await readScreen(phone)).elements.some(({ attributes }) =>
    /keyboard|inputmethod/i.test(attributes['resource-id'] + attributes.package),
  );

export const DEVICE_COMMANDS: Record<string, Handler> = {
  'GET /source': source,
  'GET /screenshot': screenshot,
  'GET /window/rect': windowRect,
  'GET /window': async () => NATIVE,
  'GET /window/handles': async () => [NATIVE],
  'GET /context': async () => NATIVE,
  'GET /contexts': async () => [NATIVE],
  'POST /context': setContext,
  'GET /orientation': getOrientation,
  'POST /orientation': setOrientation,
  'GET /appium/device/is_keyboard_shown': isKeyboardShown,
  'GET /se/log/types': logTypes,
  'GET /log/types': logTypes,
  'POST /se/log': log,
  'POST /log': log,
  'POST /back': back,
  'POST /url': openUrl,
  'GET /timeouts': getTimeouts,
  'POST /timeouts': setTimeouts,
  'GET /appium/settings': async () => ({}),
  'GET /alert/text': async () => {
    throw new WebDriverError('no such alert', 'dialogs of apps are elements; find their text');
  },
};
