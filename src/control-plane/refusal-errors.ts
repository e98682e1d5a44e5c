import { ApiError, invalidField } from '../contract/http/errors.ts';
import type {
  ConnectRefusal,
  ExtendRefusal,
  QuotaShortfall,
  RequestAppRefusal,
  UnavailableReason,
} from '../domain/refusals.ts';
import type { CreateOutcome } from '../store/entities.ts';

export const unauthorized = (message: string) =>
  new ApiError('unauthorized', message, {}, { 'www-authenticate': 'Bearer realm="phonebooth"' });

/** The error for a key that is not valid, or was valid when the request arrived and no longer is. */
export const invalidKey = () =>
  unauthorized('the API key is invalid, revoked or expired; ask an operator for a new one');

const DAY_MS = 86_400_000;

/** The rest of the message after the name of the device. */
const UNAVAILABLE: Record<UnavailableReason, string> = {
  in_use: 'is in use; choose another device, or try again when its session has ended',
  cleaning: 'is being cleaned before it can be borrowed; try again in a few seconds',
  offline: 'is offline; choose another device, or ask an operator to check its host and its cable',
  maintenance: 'is in maintenance; choose another device, or ask an operator when it will be available',
  reserved: 'is reserved; choose another device',
};

type Refusal = ConnectRefusal | ExtendRefusal | RequestAppRefusal | { why: 'not-recorded' };

/**
 * Converts a refusal to an API error. `id` is the id of the device or session, and `appId` that of the app, as the
 * client sent them.
 */
export function refusalError(refusal: Refusal, id: string, appId: string | null = null): ApiError {
  switch (refusal.why) {
    case 'key-invalid':
      return invalidKey();
    case 'app-not-found':
      return appNotFound(appId ?? '');
    case 'not-connected':
      return sessionNotConnected();
    case 'device-not-found':
      return deviceNotFound(id);
    case 'device-unavailable':
      return new ApiError('deviceUnavailable', `device ${quote(id)} ${UNAVAILABLE[refusal.reason]}`, {
        reason: refusal.reason,
      });
    case 'quota':
      return quotaError(refusal.shortfall);
    case 'idempotency-conflict':
      return new ApiError(
        'idempotencyConflict',
        'this Idempotency-Key was already used for a different request; use a new key',
      );
    case 'ended':
      return sessionEnded(id);
    case 'not-recorded':
      return new ApiError(
        'notSupported',
        `session ${quote(id)} is not recorded; connect with "record": true to record one`,
      );
    case 'too-long':
      return invalidField(
        'body.duration',
        `must not make the session longer than ${refusal.maxMinutes} minutes`,
      );
  }
}

function quotaError(shortfall: QuotaShortfall): ApiError {
  const { kind, limit, used, requested } = shortfall;
  const messages = {
    minutes:
      `${requested} minutes were requested, and ${Math.max(0, limit - used)} of ${limit} are left this ` +
      'month; request a shorter duration',
    sessions: `${used} of ${limit} concurrent sessions are in use; end one first`,
    apps: `the account has ${used} of ${limit} apps; delete some that are no longer needed`,
    app_bytes:
      `the app needs ${requested} bytes of disk space, and the account’s apps use ${used} of ${limit}; ` +
      'delete some that are no longer needed',
    artifact_bytes:
      `the artifact needs ${requested} bytes, and the account’s artifacts use ${used} of ${limit}; delete some that ` +
      'are no longer needed',
    waiting: `${used} of ${limit} requests of the account are already waiting for phones; cancel one or try again later`,
    webhooks: `the account has ${used} of ${limit} webhooks; delete some that are no longer needed`,
    watch_links: `the session has ${used} of ${limit} watch links, including revoked ones; share an existing link`,
    keys: `the account has ${used} of ${limit} valid keys; revoke some that are no longer needed`,
  };
  return new ApiError('quotaExceeded', `insufficient quota: ${messages[kind]}`, { ...shortfall });
}

export const deviceNotFound = (id: string) =>
  new ApiError(
    'deviceNotFound',
    `device ${quote(id)} does not exist, or this account cannot see it; list the devices for valid ids`,
  );

export const appNotFound = (id: string) =>
  new ApiError(
    'appNotFound',
    `app ${quote(id)} does not exist, or belongs to another account; list the apps for valid ids`,
  );

export const sessionNotFound = (id: string) =>
  new ApiError(
    'sessionNotFound',
    `session ${quote(id)} does not exist, or belongs to another account; list the sessions for valid ids`,
  );

type ResourceKind =
  | 'key'
  | 'account'
  | 'user'
  | 'host'
  | 'group'
  | 'webhook'
  | 'delivery'
  | 'watch link'
  | 'artifact';

const PLURALS: Partial<Record<ResourceKind, string>> = { delivery: 'deliveries' };

export const resourceNotFound = (kind: ResourceKind, id: string) =>
  new ApiError(
    'resourceNotFound',
    `${kind} ${quote(id)} does not exist; list the ${PLURALS[kind] ?? `${kind}s`} for valid ids`,
    { kind },
  );

export const nameTaken = () =>
  invalidField('body.name', 'is already used by another account; choose another name');

/** The API error for a key or an account that could not be created. `accountId` is the id as the client sent it. */
export function creationError(
  refusal: Extract<CreateOutcome<unknown>, { ok: false }>['refusal'],
  accountId: string,
): ApiError {
  switch (refusal.why) {
    case 'name-taken':
      return nameTaken();
    case 'no-such-account':
      return resourceNotFound('account', accountId);
    case 'outlives-creator':
      return outlivesCreator(Math.floor(refusal.maxValidForMs / DAY_MS));
    default:
      return refusalError(refusal, accountId);
  }
}

/**
 * The error when the new key would outlive the key of the request, which can create a key that is valid for at most
 * `days` whole days.
 */
const outlivesCreator = (days: number) =>
  days > 0
    ? invalidField(
        'body.expires_in_days',
        `must be at most ${days} and cannot be omitted, because the key of this request expires`,
      )
    : new ApiError(
        'forbidden',
        'the key of this request expires within a day and cannot create a key that outlives it; use another ' +
          'key',
      );

export const sessionEnded = (id: string) =>
  new ApiError('sessionEnded', `session ${quote(id)} has ended; borrow the phone again in a new session`);

/** The stored status may be `connected` already: a host that was restarted has to continue the session first. */
export const sessionNotConnected = () =>
  new ApiError(
    'sessionNotConnected',
    'the session is not connected yet, or its host was restarted; try again shortly',
  );

/** The error when a phone or its host failed at a task, such as `take a screenshot`. */
export const phoneUnavailable = (task: string, why: string) =>
  new ApiError('unavailable', `the phone could not ${task}: ${why}`, {}, { 'retry-after': '2' });

/** Shortens input that is repeated in an error message. */
const quote = (text: string) => JSON.stringify(text.length > 64 ? `${text.slice(0, 63)}…` : text);
