import { type Static, type TSchema, Type } from 'typebox';
import { durationSchema, HIGHEST_MAX_DURATION } from '../http/session.ts';
import { URL_WITH_SCHEME, URL_WITH_SCHEME_WORDS } from '../http/text.ts';
import { MAX_MARK_LENGTH } from '../recording/recording-event.ts';
import { Conditions, ConditionsReport } from './conditions.ts';
import { deviceInfo } from './device-info.ts';
import { DEFAULT_HOLD_MS, DEFAULT_SWIPE_MS, MAX_GESTURE_MS, MAX_NOTCHES } from './gestures.ts';

/**
 * Coordinates are fractions of the screen from its top left corner, so that they do not depend on rotation and
 * scaling.
 */
const fraction = Type.Number({ minimum: 0, maximum: 1 });
const milliseconds = (initial: number) =>
  Type.Integer({ minimum: 1, maximum: MAX_GESTURE_MS, default: initial });
const PACKAGE_NAME = '^[A-Za-z0-9_.]+$';
const KEY_NAME = '^[A-Z0-9_]{1,40}$';

/** The descriptions of the patterns in error messages. */
export const PARAM_PATTERN_WORDS: Record<string, string> = {
  [PACKAGE_NAME]: 'a package name such as com.example.app',
  [KEY_NAME]: 'the name of an Android key, such as HOME or VOLUME_UP',
  [URL_WITH_SCHEME]: URL_WITH_SCHEME_WORDS,
};

const packageName = Type.String({ minLength: 1, maxLength: 255, pattern: PACKAGE_NAME });
const params = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
const nothing = Type.Null();

/**
 * Maximum length of the text of `text` and `clipboard.set`, in characters. scrcpy's clipboard message holds 256 KiB.
 */
export const MAX_TEXT_LENGTH = 60_000;

/** Deadline of `conditions.set`, in milliseconds. It reads the phone's state before and after each change. */
const CONDITIONS_MS = 45_000;

/** Deadline of slow methods, in milliseconds. An install may also wait for another install. */
const SLOW_MS = 300_000;

const METHODS = {
  tap: {
    summary: 'Tap the screen',
    params: params({ x: fraction, y: fraction }),
    result: nothing,
  },
  long_press: {
    summary: 'Press and hold a point of the screen',
    params: params({ x: fraction, y: fraction, ms: Type.Optional(milliseconds(DEFAULT_HOLD_MS)) }),
    result: nothing,
  },
  swipe: {
    summary: 'Swipe with one finger',
    params: params({
      x1: fraction,
      y1: fraction,
      x2: fraction,
      y2: fraction,
      ms: Type.Optional(milliseconds(DEFAULT_SWIPE_MS)),
    }),
    result: nothing,
  },
  touch: {
    summary: 'Put down, move or lift one finger; `pointer` identifies the finger',
    params: params({
      action: Type.Enum(['down', 'move', 'up', 'cancel']),
      pointer: Type.Optional(Type.Integer({ minimum: 0, maximum: 9, default: 0 })),
      x: fraction,
      y: fraction,
      pressure: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 1 })),
    }),
    result: nothing,
  },
  scroll: {
    summary: 'Scroll with a mouse wheel at a point of the screen',
    params: params({
      x: fraction,
      y: fraction,
      dx: Type.Number({
        minimum: -MAX_NOTCHES,
        maximum: MAX_NOTCHES,
        description: 'Wheel notches; positive is right',
      }),
      dy: Type.Number({
        minimum: -MAX_NOTCHES,
        maximum: MAX_NOTCHES,
        description: 'Wheel notches; positive is up',
      }),
    }),
    result: nothing,
  },
  key: {
    summary: 'Press and release a key, or only press or only release it',
    params: params({
      key: Type.String({ pattern: KEY_NAME, description: 'Android key name without `KEYCODE_`' }),
      action: Type.Optional(Type.Enum(['press', 'down', 'up'], { default: 'press' })),
      meta: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 0x7fffffff, default: 0, description: 'Android meta state' }),
      ),
    }),
    result: nothing,
  },
  text: {
    summary: 'Type any Unicode text',
    params: params({ text: Type.String({ maxLength: MAX_TEXT_LENGTH }) }),
    result: nothing,
  },
  rotate: {
    summary: 'Rotate the screen; without `orientation`, to the other orientation',
    params: params({ orientation: Type.Optional(Type.Enum(['portrait', 'landscape'])) }),
    result: nothing,
  },
  power: {
    summary: 'Turn the screen on or off',
    params: params({ on: Type.Boolean() }),
    result: nothing,
  },
  'clipboard.get': {
    summary: 'Read the clipboard',
    params: params({}),
    result: Type.Object({ text: Type.String() }),
  },
  'clipboard.set': {
    summary: 'Write the clipboard, and optionally paste it',
    params: params({
      text: Type.String({ maxLength: MAX_TEXT_LENGTH }),
      paste: Type.Optional(Type.Boolean()),
    }),
    result: nothing,
  },
  'app.install': {
    summary:
      'Install an uploaded app; the response is sent when it is installed, and `app.progress` reports the ' +
      'progress',
    deadlineMs: SLOW_MS,
    params: params({ app_id: Type.String({ minLength: 1, maxLength: 100 }) }),
    result: nothing,
  },
  'app.uninstall': {
    summary: 'Uninstall an app',
    params: params({ package: packageName }),
    result: nothing,
  },
  'app.launch': {
    summary: 'Launch an app, or one of its activities',
    params: params({ package: packageName, activity: Type.Optional(Type.String({ maxLength: 255 })) }),
    result: nothing,
  },
  'app.stop': {
    summary: 'Stop an app',
    params: params({ package: packageName }),
    result: nothing,
  },
  'app.clear': {
    summary: 'Stop an app and delete its data, as if it had just been installed',
    params: params({ package: packageName }),
    result: nothing,
  },
  'app.list': {
    summary: 'List the installed apps',
    params: params({}),
    result: Type.Object({
      apps: Type.Array(Type.Object({ package: Type.String(), label: Type.String(), system: Type.Boolean() })),
    }),
  },
  open_url: {
    summary: 'Open a URL in the app that handles it',
    params: params({ url: Type.String({ maxLength: 4096, pattern: URL_WITH_SCHEME }) }),
    result: nothing,
  },
  screenshot: {
    summary: 'Take a screenshot',
    params: params({}),
    result: Type.Object({ png: Type.String({ description: 'PNG image, base64-encoded' }) }),
  },
  'ui.tree': {
    summary: 'Return the UI elements on the screen, with bounds as fractions of the screen',
    params: params({}),
    result: Type.Object({ root: Type.Unknown() }),
  },
  'device.info': {
    summary:
      'Return facts about the phone: versions, screen, battery, storage, memory, network; without those that it ' +
      'does not report',
    params: params({}),
    result: deviceInfo,
  },
  'log.start': {
    summary: 'Start to send the phone’s log as `log.line` notifications',
    params: params({}),
    result: nothing,
  },
  'log.stop': {
    summary: 'Stop sending the phone’s log',
    params: params({}),
    result: nothing,
  },
  'location.set': {
    summary: 'Set a mock location',
    params: params({
      lat: Type.Number({ minimum: -90, maximum: 90 }),
      lng: Type.Number({ minimum: -180, maximum: 180 }),
    }),
    result: nothing,
  },
  'conditions.get': {
    summary: 'Return the conditions of the phone, such as dark mode, and those that it cannot change',
    params: params({}),
    result: ConditionsReport,
  },
  'conditions.set': {
    summary:
      'Change conditions of the phone until the end of the session, and return all of them; if one is not supported ' +
      'or fails, none is changed',
    deadlineMs: CONDITIONS_MS,
    params: Conditions,
    result: ConditionsReport,
  },
  shell: {
    summary: 'Run a shell command on the phone, if the operator allows it',
    deadlineMs: SLOW_MS,
    params: params({ command: Type.String({ minLength: 1, maxLength: 8192 }) }),
    result: Type.Object({ exit_code: Type.Integer(), stdout: Type.String(), stderr: Type.String() }),
  },
  'recording.mark': {
    summary:
      'Add a label to the recording of the session, such as the name of a test; a no-op if it is not recorded',
    params: params({ label: Type.String({ minLength: 1, maxLength: MAX_MARK_LENGTH }) }),
    result: Type.Object({ recorded: Type.Boolean() }),
  },
  'session.extend': {
    summary: 'Extend the session',
    params: params({ duration: durationSchema(HIGHEST_MAX_DURATION) }),
    result: Type.Object({ expires_at: Type.String(), minutes_reserved: Type.Integer() }),
  },
  'session.ping': {
    summary: 'Ping the service, which responds immediately without the phone',
    params: params({}),
    result: nothing,
  },
} as const;

export type ControlMethod = keyof typeof METHODS;

interface ControlMethodDeclaration {
  /** One sentence for the documentation. */
  summary: string;
  params: TSchema;
  result: TSchema;
  deadlineMs?: number;
}
export const CONTROL_METHODS: Readonly<Record<ControlMethod, ControlMethodDeclaration>> = METHODS;
type ControlTypesByMethod = {
  [M in ControlMethod]: {
    params: Static<(typeof METHODS)[M]['params']>;
    result: Static<(typeof METHODS)[M]['result']>;
  };
};
/** It is an interface so that the compiler resolves its members once: a generic `Static` takes minutes to compile. */
interface ControlTypes extends ControlTypesByMethod {}
export type ControlParams<M extends ControlMethod> = ControlTypes[M]['params'];
export type ControlResult<M extends ControlMethod> = ControlTypes[M]['result'];

/** The methods that a phone may support. The service implements those of `session`. */
export type PhoneMethod = Exclude<ControlMethod, `session.${string}`>;

export function isControlMethod(name: string): name is ControlMethod {
  return Object.hasOwn(METHODS, name);
}

/** A node of `ui.tree`. Bounds are fractions of the screen. */
export interface UiNode {
  role: string;
  text?: string;
  id?: string;
  clickable?: boolean;
  /** The element has the keyboard focus. */
  focused?: boolean;
  scrollable?: boolean;
  checked?: boolean;
  /** Full name of the Android class, and description; on phones that report them. */
  class?: string;
  description?: string;
  /** Package of the app. Absent: the same as that of the parent, and unknown at the root. */
  package?: string;
  /** Absent: enabled. */
  enabled?: boolean;
  checkable?: boolean;
  focusable?: boolean;
  long_clickable?: boolean;
  password?: boolean;
  selected?: boolean;
  bounds: { x: number; y: number; width: number; height: number };
  children?: UiNode[];
}

/** The methods that a phone may support, as values. */
export const PHONE_METHODS = Object.keys(METHODS).filter(
  (name) => !name.startsWith('session.'),
) as PhoneMethod[];
