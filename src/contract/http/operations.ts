import { type Static, type TSchema, Type } from 'typebox';
import { eventOperations } from '../events/event-operations.ts';
import { webhookOperations } from '../events/webhook-operations.ts';
import { accountOperations } from './account.ts';
import { adminOperations } from './admin-operations.ts';
import { APP_MEDIA_TYPES, App, MAX_APPS_PER_ACCOUNT } from './app.ts';
import { Device, DeviceFilters } from './device.ts';
import { groupOperations } from './group.ts';
import { keyOperations } from './key.ts';
import { none, type Operation, strict } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
import { queueOperations } from './queue.ts';
import { connectFields, type Duration, durationSchema, Session, SessionStatus } from './session.ts';
import { MONTH } from './text.ts';
import { Usage } from './usage.ts';
import { UsageDays } from './usage-days.ts';
import { userOperations } from './user.ts';
import { watchLinkOperations } from './watch-link.ts';

const deviceParams = strict({ device_id: Type.String({ description: 'Device identifier' }) });
const sessionParams = strict({ session_id: Type.String({ description: 'Session identifier' }) });

const pictureQuery = strict({
  max_side: Type.Optional(
    Type.Integer({
      minimum: 16,
      maximum: 8192,
      description: 'Maximum length of the longer side in pixels; a larger picture is scaled down',
    }),
  ),
});

const appParams = strict({ app_id: Type.String({ description: 'Application identifier' }) });
const appId = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });

const deviceOperations = (duration: Duration) =>
  ({
    'devices.list': {
      method: 'GET',
      path: '/devices',
      summary: 'List devices',
      access: 'read',
      params: none,
      query: strict({ ...DeviceFilters, ...PageQuery }),
      body: none,
      answer: pageSchema(Device),
      errors: [],
    },
    'devices.get': {
      method: 'GET',
      path: '/devices/{device_id}',
      summary: 'Show one device',
      access: 'read',
      params: deviceParams,
      query: none,
      body: none,
      answer: Device,
      errors: ['deviceNotFound'],
    },
    'devices.connect': {
      method: 'POST',
      path: '/devices/{device_id}/connect',
      summary: 'Create a connection session to a device',
      access: 'borrow',
      params: deviceParams,
      query: none,
      body: strict(connectFields(duration)),
      answer: Session,
      errors: ['deviceNotFound', 'appNotFound', 'deviceUnavailable', 'quotaExceeded', 'idempotencyConflict'],
      idempotencyKey: true,
    },
  }) as const satisfies Record<string, Operation>;

const sessionOperations = (duration: Duration) =>
  ({
    'sessions.list': {
      method: 'GET',
      path: '/sessions',
      summary: 'List the account’s sessions, newest first',
      access: 'read',
      params: none,
      query: strict({
        status: Type.Optional(
          Type.Union([SessionStatus, Type.Literal('')], { description: 'Only sessions with this status' }),
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
    'sessions.screenshot': {
      method: 'GET',
      path: '/sessions/{session_id}/screenshot',
      summary: 'Take a screenshot, as PNG',
      access: 'read',
      params: sessionParams,
      query: pictureQuery,
      body: none,
      answer: 'image/png',
      errors: ['sessionNotFound', 'sessionEnded', 'sessionNotConnected'],
    },
  }) as const satisfies Record<string, Operation>;

const appOperations = {
  'sessions.install': {
    method: 'POST',
    path: '/sessions/{session_id}/apps',
    summary:
      'Install an application on a connected session; `app_status` and `app.progress` report the progress',
    access: 'borrow',
    params: sessionParams,
    query: none,
    body: strict({ app_id: appId('Application to install') }),
    answer: Session,
    errors: ['sessionNotFound', 'appNotFound', 'sessionEnded', 'sessionNotConnected', 'idempotencyConflict'],
    idempotencyKey: true,
  },
  'apps.upload': {
    method: 'POST',
    path: '/apps',
    summary:
      'Upload an application: an .apk, or an .apks or .xapk with its splits; an account can have at most ' +
      `${MAX_APPS_PER_ACCOUNT}`,
    access: 'borrow',
    params: none,
    query: none,
    body: none,
    upload: APP_MEDIA_TYPES,
    answer: App,
    errors: ['quotaExceeded', 'idempotencyConflict'],
    idempotencyKey: true,
  },
  'apps.list': {
    method: 'GET',
    path: '/apps',
    summary: 'List the account’s applications, newest first',
    access: 'read',
    params: none,
    query: strict(PageQuery),
    body: none,
    answer: pageSchema(App),
    errors: [],
  },
  'apps.get': {
    method: 'GET',
    path: '/apps/{app_id}',
    summary: 'Show one application',
    access: 'read',
    params: appParams,
    query: none,
    body: none,
    answer: App,
    errors: ['appNotFound'],
  },
  'apps.icon': {
    method: 'GET',
    path: '/apps/{app_id}/icon',
    summary: 'Get the icon of an application, as PNG or WebP',
    access: 'read',
    params: appParams,
    query: none,
    body: none,
    answer: 'image/*',
    errors: ['appNotFound'],
  },
  'apps.delete': {
    method: 'DELETE',
    path: '/apps/{app_id}',
    summary: 'Delete an application; installations that were already requested are still carried out',
    access: 'borrow',
    params: appParams,
    query: none,
    body: none,
    answer: Type.Object({}),
    errors: ['appNotFound'],
  },
} as const satisfies Record<string, Operation>;

const usageOperations = {
  'usage.get': {
    method: 'GET',
    path: '/usage',
    summary: 'Show the account’s quota and its use this month',
    access: 'read',
    params: none,
    query: none,
    body: none,
    answer: Usage,
    errors: [],
  },
  'usage.days': {
    method: 'GET',
    path: '/usage/days',
    summary: 'Show the account’s use in a month, by day',
    access: 'read',
    params: none,
    query: strict({
      month: Type.Optional(
        Type.String({
          pattern: MONTH,
          description: 'UTC calendar month, YYYY-MM; default: the current month',
        }),
      ),
    }),
    body: none,
    answer: UsageDays,
    errors: [],
  },
} as const satisfies Record<string, Operation>;

/** Returns the operations, with the limits of this deployment in their schemas. */
export function operations(limits: { maxDurationMinutes: number }) {
  const duration = durationSchema(limits.maxDurationMinutes);
  return {
    ...deviceOperations(duration),
    ...sessionOperations(duration),
    ...watchLinkOperations,
    ...appOperations,
    ...usageOperations,
    ...eventOperations,
    ...queueOperations(duration),
    ...keyOperations,
    ...accountOperations,
    ...userOperations,
    ...adminOperations,
    ...groupOperations,
    ...webhookOperations,
  };
}

export type Operations = ReturnType<typeof operations>;
export type OperationId = keyof Operations;

type AnswerOf<Answer> = Answer extends TSchema ? Static<Answer> : Uint8Array;

type OperationTypesById = {
  [Id in OperationId]: {
    params: Static<Operations[Id]['params']>;
    query: Static<Operations[Id]['query']>;
    body: Static<Operations[Id]['body']>;
    answer: AnswerOf<Operations[Id]['answer']>;
  };
};

/**
 * The types of each operation's parts, inferred from its schemas. It is an interface so that the compiler resolves
 * them once.
 */
export interface OperationTypes extends OperationTypesById {}
