/** What the service answered instead of success, or `code` 0 when no answer of the service arrived at all. */
export class ServiceError extends Error {
  /** The envelope's code, as listed in the contract; 0 when the service could not be reached. */
  readonly code: number;
  /** HTTP status; 0 when the service could not be reached. */
  readonly status: number;
  readonly data: Record<string, unknown>;

  constructor(
    message: string,
    code: number,
    status: number,
    data: Record<string, unknown> = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = status;
    this.data = data;
  }
}
