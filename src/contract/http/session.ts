import { type Static, Type } from 'typebox';

/** Default of `duration`, in minutes (interface document, section 8). */
export const DEFAULT_DURATION_MINUTES = 30;

/** A session that no host has started within this time ends with `start_timeout`. */
export const START_TIMEOUT_MS = 60_000;

/** When the client receives a notification that the session is about to expire, in seconds before the end. */
export const EXPIRY_WARNINGS_S = [300, 60, 10] as const;

export const SESSION_STATUSES = ['connecting', 'connected', 'disconnected'] as const;
export const SessionStatus = Type.Enum([...SESSION_STATUSES], {
  description: 'connecting: being established. connected: in use. disconnected: over, for good.',
});
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export const END_REASONS = [
  'client',
  'expired',
  'idle',
  'start_failed',
  'start_timeout',
  'device_lost',
  'host_lost',
  'admin',
] as const;
export type EndReason = (typeof END_REASONS)[number];

export const APP_STATUSES = ['pending', 'installing', 'installed', 'failed'] as const;
export type AppStatus = (typeof APP_STATUSES)[number];

const timestamp = (description: string) => Type.String({ format: 'date-time', description });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export const Session = Type.Object(
  {
    session_id: Type.String({ description: 'Session identifier' }),
    device_id: Type.String({ description: 'Identifier of the device the session belongs to' }),
    status: SessionStatus,
    stream_url: Type.String({ format: 'uri', description: 'WebSocket address of the screen stream' }),
    control_url: nullable(
      Type.String({
        format: 'uri',
        description: 'WebSocket address for control commands; null for a key of the role `viewer`',
      }),
    ),
    adb_url: nullable(
      Type.String({
        format: 'uri',
        description:
          'WebSocket address of adb: an adb server’s connection to its daemon, as binary messages. 403 for a phone without adb, or lent without. null for a key of the role `viewer`',
      }),
    ),
    expires_at: timestamp('Session expiry time, ISO 8601 UTC'),
    created_at: timestamp('When the session was created'),
    connected_at: nullable(timestamp('When the phone was first ready')),
    ended_at: nullable(timestamp('When the session ended')),
    end_reason: nullable(Type.Enum([...END_REASONS])),
    end_detail: nullable(
      Type.String({
        description:
          'What went wrong, what the operator said, or what was taken from the client, such as its key',
      }),
    ),
    app_id: nullable(Type.String({ description: 'The application last asked to be installed, if any' })),
    app_status: nullable(
      Type.Enum([...APP_STATUSES], {
        description: 'What has become of it; a failed install ends no session',
      }),
    ),
    app_error: nullable(Type.String({ description: 'Why it could not be installed, as the phone said it' })),
    minutes_reserved: Type.Integer({ description: 'Device-minutes taken from the quota at the start' }),
    minutes_charged: nullable(
      Type.Integer({ description: 'Device-minutes charged, once the session ended' }),
    ),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

/**
 * A session as an event contains it. The socket addresses of a session that has ended are invalid, so they are
 * omitted.
 */
export const SessionEvent = Type.Object(
  {
    ...Session.properties,
    stream_url: nullable(
      Type.String({
        format: 'uri',
        description: 'WebSocket address of the screen stream; null when the session has ended',
      }),
    ),
    control_url: nullable(
      Type.String({
        format: 'uri',
        description:
          'WebSocket address for control commands; null when the session has ended, and for a key of the role `viewer`',
      }),
    ),
    adb_url: nullable(
      Type.String({
        format: 'uri',
        description:
          'WebSocket address of adb; null when the session has ended, and for a key of the role `viewer`',
      }),
    ),
  },
  { title: 'SessionEvent' },
);
export type SessionEvent = Static<typeof SessionEvent>;

/** Largest maximum `duration` that a deployment can be configured with, in minutes: a week. */
export const HIGHEST_MAX_DURATION = 10_080;

export const durationSchema = (maximum: number) => ({
  ...Type.Integer({ minimum: 1, description: 'Session length in minutes' }),
  maximum,
});
export type Duration = ReturnType<typeof durationSchema>;

/** The fields of a request for a session that do not depend on how the phone is selected. */
export const connectFields = (duration: Duration) => ({
  duration: Type.Optional({
    ...duration,
    default: Math.min(DEFAULT_DURATION_MINUTES, duration.maximum),
  }),
  app_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Application to install automatically' }),
  ),
});
