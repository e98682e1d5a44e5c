import { type Static, type TSchema, Type } from 'typebox';
import { durationSchema, END_REASONS, HIGHEST_MAX_DURATION } from '../http/session.ts';
import { DEFAULT_HOLD_MS, DEFAULT_SWIPE_MS } from './gesture-times.ts';

/**
 * Coordinates are fractions of the screen from its top left corner, so that they do not depend on rotation and
 * scaling.
 */
const fraction = Type.Number({ minimum: 0, maximum: 1 });
const milliseconds = (initial: number) => Type.Integer({ minimum: 1, maximum: 60_000, default: initial });
const packageName = Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9_.]+$' });
const params = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
const nothing = Type.Null();

/**
 * Maximum length of the text of `text` and `clipboard.set`, in characters. scrcpy's clipboard message holds 256 KiB.
 */
export const MAX_TEXT_LENGTH = 60_000;

const METHODS = {
  tap: { params: params({ x: fraction, y: fraction }), result: nothing },
  long_press: {
    params: params({ x: fraction, y: fraction, ms: Type.Optional(milliseconds(DEFAULT_HOLD_MS)) }),
    result: nothing,
  },
  swipe: {
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
    params: params({
      x: fraction,
      y: fraction,
      dx: Type.Number({ minimum: -16, maximum: 16, description: 'Wheel notches; positive is right' }),
      dy: Type.Number({ minimum: -16, maximum: 16, description: 'Wheel notches; positive is up' }),
    }),
    result: nothing,
  },
  key: {
    params: params({
      key: Type.String({ pattern: '^[A-Z0-9_]{1,40}$', description: 'Android key name without `KEYCODE_`' }),
      action: Type.Optional(Type.Enum(['press', 'down', 'up'], { default: 'press' })),
      meta: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 0x7fffffff, default: 0, description: 'Android meta state' }),
      ),
    }),
    result: nothing,
  },
  text: { params: params({ text: Type.String({ maxLength: MAX_TEXT_LENGTH }) }), result: nothing },
  rotate: {
    params: params({ orientation: Type.Optional(Type.Enum(['portrait', 'landscape'])) }),
    result: nothing,
  },
  power: { params: params({ on: Type.Boolean() }), result: nothing },
  'clipboard.get': { params: params({}), result: Type.Object({ text: Type.String() }) },
  'clipboard.set': {
    params: params({
      text: Type.String({ maxLength: MAX_TEXT_LENGTH }),
      paste: Type.Optional(Type.Boolean()),
    }),
    result: nothing,
  },
  'app.install': {
    params: params({ app_id: Type.String({ minLength: 1, maxLength: 100 }) }),
    result: nothing,
  },
  'app.uninstall': { params: params({ package: packageName }), result: nothing },
  'app.launch': {
    params: params({ package: packageName, activity: Type.Optional(Type.String({ maxLength: 255 })) }),
    result: nothing,
  },
  'app.stop': { params: params({ package: packageName }), result: nothing },
  'app.list': {
    params: params({}),
    result: Type.Object({
      apps: Type.Array(Type.Object({ package: Type.String(), label: Type.String(), system: Type.Boolean() })),
    }),
  },
  open_url: {
    params: params({ url: Type.String({ maxLength: 4096, pattern: '^[a-z][a-z0-9+.-]*:' }) }),
    result: nothing,
  },
  screenshot: {
    params: params({}),
    result: Type.Object({ png: Type.String({ description: 'PNG image, base64-encoded' }) }),
  },
  'ui.tree': { params: params({}), result: Type.Object({ root: Type.Unknown() }) },
  'log.start': { params: params({}), result: nothing },
  'log.stop': { params: params({}), result: nothing },
  'location.set': {
    params: params({
      lat: Type.Number({ minimum: -90, maximum: 90 }),
      lng: Type.Number({ minimum: -180, maximum: 180 }),
    }),
    result: nothing,
  },
  shell: {
    params: params({ command: Type.String({ minLength: 1, maxLength: 8192 }) }),
    result: Type.Object({ exit_code: Type.Integer(), stdout: Type.String(), stderr: Type.String() }),
  },
  'session.extend': {
    params: params({ duration: durationSchema(HIGHEST_MAX_DURATION) }),
    result: Type.Object({ expires_at: Type.String(), minutes_reserved: Type.Integer() }),
  },
  /**
   * The gateway responds immediately, without the phone. Clients use it to measure the round-trip time and to detect
   * a dead connection.
   */
  'session.ping': { params: params({}), result: nothing },
} as const;

export type ControlMethod = keyof typeof METHODS;

export const CONTROL_METHODS: Record<ControlMethod, { params: TSchema; result: TSchema }> = METHODS;
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
  bounds: { x: number; y: number; width: number; height: number };
  children?: UiNode[];
}

const PHONE_METHODS = Object.keys(METHODS).filter((name) => !name.startsWith('session.')) as PhoneMethod[];

const NOTIFICATIONS = {
  'session.ready': Type.Object({
    session_id: Type.String(),
    width: Type.Integer({ description: 'Current width of the picture, in pixels' }),
    height: Type.Integer(),
    capabilities: Type.Array(Type.Enum(PHONE_METHODS), { description: 'Methods that this phone supports' }),
    expires_at: Type.String({ format: 'date-time' }),
  }),
  'session.expiring': Type.Object({
    seconds: Type.Integer({ description: 'Seconds until the session ends' }),
  }),
  'session.extended': Type.Object({ expires_at: Type.String({ format: 'date-time' }) }),
  'session.ended': Type.Object({
    reason: Type.Enum([...END_REASONS]),
    detail: Type.Optional(
      Type.String({
        description:
          'Details of the end: the error, the operator’s reason, or the permission that was revoked, such as ' +
          'the API key',
      }),
    ),
  }),
  'device.rotated': Type.Object({ width: Type.Integer(), height: Type.Integer() }),
  'clipboard.changed': Type.Object({ text: Type.String() }),
  'app.progress': Type.Object({
    app_id: Type.String(),
    state: Type.Enum(['installing', 'installed', 'failed']),
    percent: Type.Number({ minimum: 0, maximum: 100 }),
    message: Type.Optional(Type.String({ description: 'Why the installation failed' })),
  }),
  'log.line': Type.Object({
    time: Type.String(),
    level: Type.String(),
    tag: Type.String(),
    message: Type.String(),
  }),
} as const;

type NotificationsByMethod = {
  [M in keyof typeof NOTIFICATIONS]: Static<(typeof NOTIFICATIONS)[M]>;
};
/** The notifications that a client of the control socket receives. */
export interface ControlNotifications extends NotificationsByMethod {}
export const CONTROL_NOTIFICATIONS: Record<keyof ControlNotifications, TSchema> = NOTIFICATIONS;
export type ControlNotification = {
  [M in keyof ControlNotifications]: { method: M; params: ControlNotifications[M] };
}[keyof ControlNotifications];
