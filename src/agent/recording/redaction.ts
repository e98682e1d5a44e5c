import type { RecordingEvent } from '../../contract/recording/recording-event.ts';
import { ANDROID_KEYS, type AndroidKey } from '../../contract/sockets/android-keys.ts';
import type { PhoneMethod } from '../../contract/sockets/control-methods.ts';
import { KEY_ACTIONS, type ScrcpyControlMessage } from '../../contract/sockets/scrcpy-control.ts';

/**
 * The parameters of each method that are recorded. All others may contain what the borrower typed, such as a password
 * in a URL, and are replaced by their length.
 */
const RECORDED_PARAMS: Readonly<Record<PhoneMethod, readonly string[]>> = {
  tap: ['x', 'y'],
  long_press: ['x', 'y', 'ms'],
  swipe: ['x1', 'y1', 'x2', 'y2', 'ms'],
  touch: ['action', 'pointer', 'x', 'y', 'pressure'],
  scroll: ['x', 'y', 'dx', 'dy'],
  key: ['action'],
  text: [],
  rotate: ['orientation'],
  power: ['on'],
  'clipboard.get': [],
  'clipboard.set': ['paste'],
  'app.install': ['app_id'],
  'app.uninstall': ['package'],
  'app.launch': ['package'],
  'app.stop': ['package'],
  'app.clear': ['package'],
  'app.list': [],
  open_url: [],
  screenshot: [],
  'ui.tree': [],
  'device.info': [],
  'log.start': [],
  'log.stop': [],
  'location.set': ['lat', 'lng'],
  'conditions.get': [],
  'conditions.set': [
    ...['dark_mode', 'font_scale', 'locale', 'time_zone', 'airplane_mode', 'battery_saver', 'animations'],
    'location',
  ],
  shell: [],
  'recording.mark': [],
};

/** Keys that type nothing. Shift is not included, because it reveals which letters are capitals. */
const RECORDED_KEYS: ReadonlySet<AndroidKey> = new Set([
  ...([
    'HOME',
    'BACK',
    'MENU',
    'APP_SWITCH',
    'ALL_APPS',
    'SEARCH',
    'ASSIST',
    'SETTINGS',
    'NOTIFICATION',
  ] as const),
  ...([
    'POWER',
    'WAKEUP',
    'SLEEP',
    'VOLUME_UP',
    'VOLUME_DOWN',
    'VOLUME_MUTE',
    'MUTE',
    'CAMERA',
    'FOCUS',
  ] as const),
  ...(['CALL', 'ENDCALL', 'HEADSETHOOK', 'BRIGHTNESS_UP', 'BRIGHTNESS_DOWN'] as const),
  ...([
    'ENTER',
    'TAB',
    'ESCAPE',
    'DEL',
    'FORWARD_DEL',
    'PAGE_UP',
    'PAGE_DOWN',
    'MOVE_HOME',
    'MOVE_END',
  ] as const),
  ...(['DPAD_UP', 'DPAD_DOWN', 'DPAD_LEFT', 'DPAD_RIGHT', 'DPAD_CENTER', 'COPY', 'CUT', 'PASTE'] as const),
  ...([
    'MEDIA_PLAY_PAUSE',
    'MEDIA_STOP',
    'MEDIA_NEXT',
    'MEDIA_PREVIOUS',
    'MEDIA_PLAY',
    'MEDIA_PAUSE',
  ] as const),
]);
const RECORDED_KEY_CODES = new Map(
  Object.entries(ANDROID_KEYS)
    .filter(([name]) => RECORDED_KEYS.has(name as AndroidKey))
    .map(([name, code]): [number, string] => [code, name]),
);

const MAX_ERROR_LENGTH = 500;
/** Replaces a value: contains the length of a text, and nothing for other values. */
type Redacted = { length?: number };

export interface RecordedCall {
  params: Record<string, unknown>;
  /** Whether a value was replaced. An error of the call may then contain it. */
  isRedacted: boolean;
}

/** Returns the parameters of a call as they are recorded. */
export function recordedCall(
  method: PhoneMethod,
  params: unknown,
  { text }: { text: boolean },
): RecordedCall {
  const given = typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : {};
  if (text) return { params: given, isRedacted: false };
  const isKeyRecorded = method === 'key' && RECORDED_KEYS.has(given.key as AndroidKey);
  const names = isKeyRecorded ? ['key', 'action', 'meta'] : (RECORDED_PARAMS[method] ?? []);
  let isRedacted = false;
  const entries = Object.entries(given).map(([name, value]) => {
    if (names.includes(name)) return [name, value];
    isRedacted = true;
    return [name, redact(method, value)];
  });
  return { params: Object.fromEntries(entries), isRedacted };
}

/** Returns the recorded error of a call. Its message may repeat redacted parameters, so it is then replaced by its kind. */
export function recordedError(
  { kind, message }: { kind: string; message: string },
  { isRedacted }: Pick<RecordedCall, 'isRedacted'>,
): string {
  return isRedacted ? kind : message.slice(0, MAX_ERROR_LENGTH);
}

/** A key types one character, whatever the length of its name is. */
const redact = (method: PhoneMethod, value: unknown): Redacted =>
  typeof value === 'string' ? { length: method === 'key' ? 1 : value.length } : {};

type Input = Extract<RecordingEvent, { type: 'input' }>;

/** Returns the recorded form of an injected message that is not a touch, or null if it is not recorded. */
export function recordedInput(
  message: ScrcpyControlMessage,
  { text }: { text: boolean },
): Pick<Input, 'kind' | 'detail'> | null {
  switch (message.type) {
    case 'touch':
      return null;
    case 'key': {
      if (message.action !== KEY_ACTIONS.down) return null;
      const name = text ? keyName(message.keycode) : RECORDED_KEY_CODES.get(message.keycode);
      return { kind: 'key', ...(name !== undefined && { detail: name }) };
    }
    case 'text':
      return { kind: 'text', detail: text ? message.text : characters(message.text) };
    case 'scroll':
      return { kind: 'scroll' };
    case 'set-clipboard':
      return { kind: 'other', detail: `set-clipboard: ${text ? message.text : characters(message.text)}` };
    default:
      return { kind: 'other', detail: message.type };
  }
}

const characters = (text: string) => `${text.length} ${text.length === 1 ? 'character' : 'characters'}`;
const keyName = (code: number) =>
  Object.entries(ANDROID_KEYS).find(([, known]) => known === code)?.[0] ?? `code ${code}`;
