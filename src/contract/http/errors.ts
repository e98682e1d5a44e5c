/**
 * Every error code of the HTTP API, with its HTTP status.
 * The interface document defines 40004, 40010 and 40011; the other codes are additions.
 */
export const ERRORS = {
  invalid: { code: 40000, status: 400 },
  unauthorized: { code: 40001, status: 401 },
  forbidden: { code: 40003, status: 403 },
  deviceNotFound: { code: 40004, status: 404 },
  sessionNotFound: { code: 40005, status: 404 },
  appNotFound: { code: 40006, status: 404 },
  routeNotFound: { code: 40007, status: 404 },
  /** A key, an account, a user, a host, a group, a webhook or a delivery; `data.kind` says which. */
  resourceNotFound: { code: 40008, status: 404 },
  deviceUnavailable: { code: 40010, status: 409 },
  /** Not 429: clients retry a 429 automatically, but a short wait does not restore quota. */
  quotaExceeded: { code: 40011, status: 403 },
  idempotencyConflict: { code: 40012, status: 409 },
  sessionEnded: { code: 40013, status: 409 },
  sessionNotConnected: { code: 40014, status: 409 },
  /** The path exists with other methods, which the header `Allow` lists. */
  methodNotAllowed: { code: 40015, status: 405 },
  unsupportedMediaType: { code: 40016, status: 415 },
  /** A WebSocket address was requested without `Upgrade`. */
  upgradeRequired: { code: 40017, status: 426 },
  /** The phone already has a file with this path. */
  fileExists: { code: 40018, status: 409 },
  /** The phone, or the version of its host, does not support the operation. */
  notSupported: { code: 40019, status: 409 },
  rateLimited: { code: 40029, status: 429 },
  bodyTooLarge: { code: 41300, status: 413 },
  /** The range in the header `Range` is outside the file. */
  rangeNotSatisfiable: { code: 41600, status: 416 },
  internal: { code: 50000, status: 500 },
  unavailable: { code: 50300, status: 503 },
} as const;

/** Messages of `unavailable` while the service cannot use its database, by reason. */
export const OUTAGE_MESSAGES = {
  unreachable: 'the service cannot reach its database, or the database is too slow; try again shortly',
  'read-only': 'the database of the service is read-only; try again shortly',
  'out-of-space': 'the database of the service has no disk space left; try again later',
} as const;

export type ErrorName = keyof typeof ERRORS;

/** One invalid field. `field` is a path such as `body.duration`; `message` says what is expected. */
export interface FieldError {
  field: string;
  message: string;
}

/** The only error type whose message reaches a caller. Any other error becomes 50000. */
export class ApiError extends Error {
  readonly kind: ErrorName;
  readonly code: number;
  readonly status: number;
  readonly data: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    kind: ErrorName,
    message: string,
    data: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.kind = kind;
    this.code = ERRORS[kind].code;
    this.status = ERRORS[kind].status;
    this.data = data;
    this.headers = headers;
  }
}

/** Returns a 40000 error for one field. */
export function invalidField(field: string, message: string): ApiError {
  return new ApiError('invalid', `${field} ${message}`, { errors: [{ field, message }] });
}
