import type { App } from '../../contract/http/app.ts';
import type { Device } from '../../contract/http/device.ts';
import type { ErrorName } from '../../contract/http/errors.ts';
import type { Key } from '../../contract/http/key.ts';
import type { OperationId } from '../../contract/http/operations.ts';
import type { Session } from '../../contract/http/session.ts';

const device: Device = {
  id: 'R58N12ABCDE',
  name: 'Google Pixel 9',
  brand: 'google',
  model: 'GTF7P',
  os_version: '15',
  screen_size: '6.3',
  resolution: '1080x2424',
  platform: 'android',
  kind: 'physical',
  battery_percent: 86,
  status: 'available',
  free_at: null,
};

const session: Session = {
  session_id: 'ses_GnfMnmjswhS5FhkLn8BpmQ',
  device_id: device.id,
  device_name: device.name,
  device_model: device.model,
  status: 'connecting',
  stream_url: 'wss://stream.phones.example.com/stream/TOKEN/ses_GnfMnmjswhS5FhkLn8BpmQ',
  control_url: 'wss://control.phones.example.com/control/TOKEN/ses_GnfMnmjswhS5FhkLn8BpmQ',
  adb_url: 'wss://control.phones.example.com/adb/TOKEN/ses_GnfMnmjswhS5FhkLn8BpmQ',
  created_by: { user_id: null, name: 'continuous integration' },
  expires_at: '2026-11-23T10:30:00.000Z',
  created_at: '2026-11-23T10:00:00.000Z',
  connected_at: null,
  ended_at: null,
  end_reason: null,
  end_detail: null,
  app_id: null,
  app_status: null,
  app_error: null,
  recording: { status: 'recording', detail: null },
  minutes_reserved: 30,
  minutes_charged: null,
};

const app: App = {
  id: 'app_7Hq2mT0s',
  name: 'Shop',
  package: 'com.example.shop',
  version: '2.4.1',
  version_code: 241,
  min_sdk: 26,
  size: 18_432_114,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  created_at: '2026-11-20T08:15:30.000Z',
  icon_url: '/apps/app_7Hq2mT0s/icon',
};

const key: Key = {
  id: 'key_4_Bl9cgLxXQQ',
  name: 'continuous integration',
  role: 'user',
  prefix: 'pb_pshib',
  created_at: '2026-11-01T12:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: '2026-11-23T09:59:00.000Z',
  last_used_from: '203.0.113.7',
  user: null,
  signed_in: false,
  current: true,
};

/** Examples of named schemas. */
export const SCHEMA_EXAMPLES: Readonly<Record<string, object>> = {
  Device: device,
  Session: session,
  App: app,
  Key: key,
};

/** Examples of request bodies. */
export const BODY_EXAMPLES: Partial<Record<OperationId, object>> = {
  'devices.connect': { duration: 10, app_id: app.id },
  'sessions.borrow': { brand: device.brand, duration: 10, wait: 300 },
  'sessions.extend': { duration: 10 },
  'sessions.install': { app_id: app.id },
  'sessions.conditions.update': { dark_mode: true, time_zone: 'Asia/Tokyo' },
  'keys.create': { name: 'continuous integration', expires_in_days: 90 },
  'webhooks.create': { url: 'https://ci.example.com/phonebooth', events: ['session.changed'] },
};

type ErrorExample = [message: string, data: object];

const missing = (kind: string): ErrorExample => [
  `${kind} "none" does not exist; list them for valid ids`,
  {},
];

/** A message and data of each error. */
export const ERROR_EXAMPLES: Readonly<Record<ErrorName, ErrorExample>> = {
  invalid: [
    'body.duration must be a whole number from 1 to 480',
    { errors: [{ field: 'body.duration', message: 'must be a whole number from 1 to 480' }] },
  ],
  unauthorized: ['the header Authorization: Bearer <API_KEY> is missing', {}],
  forbidden: ['this operation is for operators; use a key with the role admin', {}],
  deviceNotFound: missing('device'),
  sessionNotFound: missing('session'),
  appNotFound: missing('app'),
  routeNotFound: ['/v1/phones is not a route of this API; see /docs', {}],
  methodNotAllowed: ['/v1/devices accepts GET, not POST', {}],
  resourceNotFound: ['key "none" does not exist; list them for valid ids', { kind: 'key' }],
  deviceUnavailable: ['the device is in use', { reason: 'in_use' }],
  quotaExceeded: [
    'the account has 10 of 600 device-minutes left this month, and 30 are needed',
    { kind: 'minutes', limit: 600, used: 590, requested: 30, resets_at: '2026-12-01T00:00:00.000Z' },
  ],
  idempotencyConflict: ['the Idempotency-Key was already used for a different request', {}],
  sessionEnded: ['the session has ended', {}],
  sessionNotConnected: ['the session is not connected yet, or its host was restarted; try again shortly', {}],
  unsupportedMediaType: ['header.content-type must be application/json if the request has a body', {}],
  upgradeRequired: ['this path is a WebSocket, and the request has no Upgrade header', {}],
  fileExists: ['/sdcard/Download/photo.jpg exists already; send overwrite=true to replace it', {}],
  notSupported: ['the host of this phone runs a version without file transfers', {}],
  rateLimited: ['too many requests; try again in 2 s', {}],
  bodyTooLarge: ['body is too large; the limit is 64 KiB', {}],
  rangeNotSatisfiable: [
    'header.range begins after the end of the file, which has 1024 bytes',
    { size: 1024 },
  ],
  internal: ['internal error', { request_id: '0f9a3f0c-52a1-4a1b-9a9e-3b1f2a6c7d8e' }],
  unavailable: ['the service cannot reach its database; try again shortly', {}],
};
