import { type Static, type TSchema, Type } from 'typebox';
import { END_REASONS } from '../http/session.ts';
import { PHONE_METHODS } from './control-methods.ts';

/** A key that controls a phone. */
export const CONTROLLER = {
  id: Type.String(),
  name: Type.String({ description: 'Name of the key, or of the user who signed in' }),
};
export type Controller = { id: string; name: string };

const NOTIFICATIONS = {
  'session.ready': {
    summary: 'The phone accepts commands',
    params: Type.Object({
      session_id: Type.String(),
      width: Type.Integer({ description: 'Current width of the video, in pixels' }),
      height: Type.Integer(),
      capabilities: Type.Array(Type.Enum(PHONE_METHODS), { description: 'Methods that this phone supports' }),
      expires_at: Type.String({ format: 'date-time' }),
    }),
  },
  'session.expiring': {
    summary: 'The session is about to end; sent 5 minutes, 1 minute and 10 seconds before the end',
    params: Type.Object({
      seconds: Type.Integer({ description: 'Seconds until the session ends' }),
    }),
  },
  'session.extended': {
    summary: 'The session was extended',
    params: Type.Object({ expires_at: Type.String({ format: 'date-time' }) }),
  },
  'session.taken_over': {
    summary: 'Another client took control; the socket is closed with 4009 afterwards',
    params: Type.Object({
      by: Type.Optional(
        Type.Object(CONTROLLER, {
          description: 'The key of that client; absent if it could not be looked up',
        }),
      ),
      same_key: Type.Boolean({ description: 'Whether it is the key of this client too' }),
    }),
  },
  'session.ended': {
    summary: 'The session has ended; the socket is closed afterwards',
    params: Type.Object({
      reason: Type.Enum([...END_REASONS]),
      detail: Type.Optional(
        Type.String({
          description:
            'Details of the end: the error, the operator’s reason, or the permission that was revoked, such as ' +
            'the API key',
        }),
      ),
    }),
  },
  'device.rotated': {
    summary: 'The size of the video changed',
    params: Type.Object({ width: Type.Integer(), height: Type.Integer() }),
  },
  'clipboard.changed': {
    summary: 'Text was copied on the phone',
    params: Type.Object({ text: Type.String() }),
  },
  'app.progress': {
    summary: 'Progress of an app installation',
    params: Type.Object({
      app_id: Type.String(),
      state: Type.Enum(['installing', 'installed', 'failed']),
      percent: Type.Number({ minimum: 0, maximum: 100 }),
      message: Type.Optional(Type.String({ description: 'Why the installation failed' })),
    }),
  },
  'log.line': {
    summary: 'One line of the phone’s log',
    params: Type.Object({
      time: Type.String(),
      level: Type.String(),
      tag: Type.String(),
      message: Type.String(),
      app: Type.Optional(
        Type.String({
          description:
            'Package of the app that wrote the line; absent if the system did, or if it is not known',
        }),
      ),
    }),
  },
} as const;

type NotificationsByMethod = {
  [M in keyof typeof NOTIFICATIONS]: Static<(typeof NOTIFICATIONS)[M]['params']>;
};
/** The notifications that a client of the control socket receives. */
export interface ControlNotifications extends NotificationsByMethod {}
export const CONTROL_NOTIFICATIONS: Readonly<
  Record<keyof ControlNotifications, { summary: string; params: TSchema }>
> = NOTIFICATIONS;
export type ControlNotification = {
  [M in keyof ControlNotifications]: { method: M; params: ControlNotifications[M] };
}[keyof ControlNotifications];
