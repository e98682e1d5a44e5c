import { ERRORS, type ErrorName, type FieldError } from '../contract/http/errors.ts';

/**
 * The name of an error code of the contract; `unreachable` when no response arrived, `unknown` for a code of a later
 * version.
 */
export type ServiceErrorKind = ErrorName | 'unreachable' | 'unknown';

/** The additional data of an error, for the kinds that have any. */
export interface ServiceErrorData {
  invalid: { errors: FieldError[] };
  deviceUnavailable: { reason: 'in_use' | 'cleaning' | 'offline' | 'maintenance' | 'reserved' };
  /** `resets_at`: ISO 8601. */
  quotaExceeded: {
    kind: 'minutes' | 'sessions' | 'apps';
    limit: number;
    used: number;
    requested: number;
    resets_at: string | null;
  };
  resourceNotFound: { kind: string };
  internal: { request_id: string };
}

/** An error response of the service; `code` is 0 when no response arrived. */
export class ServiceError extends Error {
  /** The envelope's code, as listed in the contract; 0 when the service could not be reached. */
  readonly code: number;
  /** HTTP status; 0 when the service could not be reached. */
  readonly status: number;
  readonly data: Record<string, unknown>;
  /** The `Retry-After` header of the response, in seconds. */
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    code: number,
    status: number,
    data: Record<string, unknown> = {},
    more: { cause?: unknown; retryAfterSeconds?: number | null } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = status;
    this.data = data;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }

  get kind(): ServiceErrorKind {
    if (this.status === 0) return 'unreachable';
    const names = Object.keys(ERRORS) as ErrorName[];
    return names.find((name) => ERRORS[name].code === this.code) ?? 'unknown';
  }
}

type DataOf<K extends ServiceErrorKind> = K extends keyof ServiceErrorData
  ? ServiceErrorData[K]
  : Record<string, unknown>;

/**
 * Whether the error is of this kind. It narrows the type of `data`:
 * `if (isServiceError(error, 'deviceUnavailable')) console.log(error.data.reason)`.
 */
export function isServiceError<K extends ServiceErrorKind>(
  error: unknown,
  kind: K,
): error is ServiceError & { readonly kind: K; readonly data: DataOf<K> } {
  return error instanceof ServiceError && error.kind === kind;
}
