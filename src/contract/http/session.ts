import { type Static, Type } from 'typebox';
import { none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';

/** Default of `duration`, in minutes (interface document, section 8). */
export const DEFAULT_DURATION_MINUTES = 30;

/** A session that no host has started within this time ends with `start_timeout`. */
export const START_TIMEOUT_MS = 60_000;

/** When the client receives a notification that the session is about to expire, in seconds before the end. */
export const EXPIRY_WARNINGS_S = [300, 60, 10] as const;

/**
 * Maximum number of adb tunnels of one session: a developer's own, a colleague's, and one or two dead ones that have
 * not been detected yet.
 */
export const MAX_ADB_TUNNELS = 4;

export const SESSION_STATUSES = ['connecting', 'connected', 'disconnected'] as const;
export const SessionStatus = Type.Enum([...SESSION_STATUSES], {
  description: 'connecting: being established. connected: ready to use. disconnected: ended.',
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

export const RECORDING_STATUSES = ['recording', 'processing', 'complete', 'failed'] as const;
export type RecordingStatus = (typeof RECORDING_STATUSES)[number];

export const APP_STATUSES = ['pending', 'installing', 'installed', 'failed'] as const;
export type AppStatus = (typeof APP_STATUSES)[number];

export const Session = Type.Object(
  {
    session_id: Type.String({ description: 'Session identifier' }),
    device_id: Type.String({ description: 'Identifier of the device the session belongs to' }),
    device_name: nullable(
      Type.String({
        description:
          'Name of the device when the session was created; null if an earlier version of the service created it',
      }),
    ),
    device_model: nullable(
      Type.String({ description: 'Model of the device when the session was created; null as above' }),
    ),
    status: SessionStatus,
    stream_url: Type.String({ format: 'uri', description: 'WebSocket URL of the screen stream' }),
    control_url: nullable(
      Type.String({
        format: 'uri',
        description: 'WebSocket URL for control commands; null for a key with the role `viewer`',
      }),
    ),
    adb_url: nullable(
      Type.String({
        format: 'uri',
        description:
          'WebSocket URL for adb: the connection of an adb server to the daemon on the phone, as binary ' +
          'messages. Rejected with 403 if the phone does not support adb or the operator disabled it. null for ' +
          'a key with the role `viewer`',
      }),
    ),
    created_by: nullable(
      Type.Object({
        user_id: nullable(
          Type.String({ description: 'User of the key' }),
          'null if the key belongs to the account only',
        ),
        name: Type.String({ description: 'Name of the user, or of the key if it has no user' }),
      }),
      'Who created the session; null if an earlier version of the service created it',
    ),
    expires_at: timestamp('Session expiry time, ISO 8601 UTC'),
    created_at: timestamp('Creation time'),
    connected_at: nullable(timestamp('Time at which the phone first became ready')),
    ended_at: nullable(timestamp('Time at which the session ended')),
    end_reason: nullable(Type.Enum([...END_REASONS])),
    end_detail: nullable(
      Type.String({
        description:
          'Details of the end: the error, the operator’s reason, or the permission that was revoked, such as ' +
          'the API key',
      }),
    ),
    app_id: nullable(Type.String({ description: 'Application whose installation was last requested' })),
    app_status: nullable(
      Type.Enum([...APP_STATUSES], {
        description: 'Status of the installation; a failed installation does not end the session',
      }),
    ),
    app_error: nullable(
      Type.String({ description: 'Why the installation failed, as the phone reported it' }),
    ),
    recording: nullable(
      Type.Object({
        status: Type.Enum([...RECORDING_STATUSES], {
          description:
            'recording: the session is live. processing: the host of the phone is uploading the artifacts. complete: ' +
            '`GET /sessions/{session_id}/artifacts` lists all of them. failed: the session has no recording',
        }),
        detail: nullable(
          Type.String({ description: 'Why the recording failed or is incomplete; null: it is complete' }),
        ),
      }),
      'null if the session is not recorded',
    ),
    minutes_reserved: Type.Integer({ description: 'Device-minutes reserved from the quota at the start' }),
    minutes_charged: nullable(
      Type.Integer({ description: 'Device-minutes charged, set when the session has ended' }),
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
        description: 'WebSocket URL of the screen stream; null if the session has ended',
      }),
    ),
    control_url: nullable(
      Type.String({
        format: 'uri',
        description:
          'WebSocket URL for control commands; null if the session has ended, and for a key with the role ' +
          '`viewer`',
      }),
    ),
    adb_url: nullable(
      Type.String({
        format: 'uri',
        description:
          'WebSocket URL for adb; null if the session has ended, and for a key with the role `viewer`',
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
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Identifier of the application to install automatically',
    }),
  ),
  record: Type.Optional(
    Type.Boolean({
      description:
        'Whether to record the screen, the commands and the log; default: the setting of the account. The ' +
        'artifacts can be downloaded when the session has ended',
    }),
  ),
  record_text: Type.Optional(
    Type.Boolean({
      description: 'Whether the recorded commands contain the text that is typed',
      default: false,
    }),
  ),
});

export const sessionParams = strict({ session_id: Type.String({ description: 'Session identifier' }) });

const screenshotQuery = strict({
  max_side: Type.Optional(
    Type.Integer({
      minimum: 16,
      maximum: 8192,
      description: 'Maximum length of the longer side in pixels; a larger screenshot is scaled down',
    }),
  ),
});

/** Maximum number of commands of a WebDriver session that are kept. */
export const MAX_COMMANDS = 50;

export const WebDriverCommand = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the command in this session' }),
    name: Type.String({
      description:
        'Method and path without identifiers, such as `POST /element/{element}/click`, or `mobile: deepLink`',
    }),
    started_at: timestamp('Time at which the command arrived'),
    duration_ms: nullable(Type.Integer({ minimum: 0 }), 'null while the command is running'),
    error: nullable(
      Type.String(),
      'W3C error of the command, such as `no such element`; null if it succeeded or is running',
    ),
  },
  { title: 'WebDriverCommand' },
);
export type WebDriverCommand = Static<typeof WebDriverCommand>;

const phoneOperations = {
  'sessions.commands': {
    method: 'GET',
    path: '/sessions/{session_id}/commands',
    summary: `List the latest commands of the WebDriver client on this session, newest first, at most ${MAX_COMMANDS}; none before it is connected and after it has ended`,
    access: 'read',
    params: sessionParams,
    query: none,
    body: none,
    answer: Type.Object({ items: Type.Array(WebDriverCommand) }),
    errors: ['sessionNotFound'],
  },
  'sessions.screenshot': {
    method: 'GET',
    path: '/sessions/{session_id}/screenshot',
    summary: 'Take a screenshot, as PNG',
    access: 'read',
    params: sessionParams,
    query: screenshotQuery,
    body: none,
    answer: 'image/png',
    errors: ['sessionNotFound', 'sessionEnded', 'sessionNotConnected'],
  },
  'sessions.install': {
    method: 'POST',
    path: '/sessions/{session_id}/apps',
    summary:
      'Install an application on a connected session; `app_status` and `app.progress` report the progress',
    access: 'borrow',
    params: sessionParams,
    query: none,
    body: strict({
      app_id: Type.String({ minLength: 1, maxLength: 100, description: 'Application to install' }),
    }),
    answer: Session,
    errors: ['sessionNotFound', 'appNotFound', 'sessionEnded', 'sessionNotConnected', 'idempotencyConflict'],
    idempotencyKey: true,
  },
} as const satisfies Record<string, Operation>;

export const sessionOperations = (duration: Duration) =>
  ({
    'sessions.list': {
      method: 'GET',
      path: '/sessions',
      summary: 'List the account’s sessions, newest first',
      access: 'read',
      params: none,
      query: strict({
        status: Type.Optional(
          Type.Union([SessionStatus, Type.Literal('live'), Type.Literal('')], {
            description: 'Only sessions with this status; live: sessions that have not ended',
          }),
        ),
        device_id: Type.Optional(Type.String({ description: 'Only sessions of this device' })),
        ...PageQuery,
      }),
      body: none,
      answer: pageSchema(Session),
      errors: [],
    },
    'sessions.get': {
      method: 'GET',
      path: '/sessions/{session_id}',
      summary: 'Show one session',
      access: 'read',
      params: sessionParams,
      query: none,
      body: none,
      answer: Session,
      errors: ['sessionNotFound'],
    },
    'sessions.disconnect': {
      method: 'POST',
      path: '/sessions/{session_id}/disconnect',
      summary: 'Disconnect a session; idempotent',
      access: 'borrow',
      params: sessionParams,
      query: none,
      body: none,
      answer: Session,
      errors: ['sessionNotFound'],
    },
    'sessions.extend': {
      method: 'POST',
      path: '/sessions/{session_id}/extend',
      summary: 'Extend a live session',
      access: 'borrow',
      params: sessionParams,
      query: none,
      body: strict({ duration }),
      answer: Session,
      errors: ['sessionNotFound', 'sessionEnded', 'quotaExceeded'],
    },
    ...phoneOperations,
  }) as const satisfies Record<string, Operation>;
