/** One request, without its path. */
export interface Request {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  query?: Record<string, string | number | undefined>;
  body?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** Longest wait for the whole response, in milliseconds. */
  timeoutMs?: number;
  /** Whether the request is idempotent although it is a POST. */
  isRepeatable?: boolean;
}

/**
 * Options of requests that change something. A repeat with the same key returns the result of the first request
 * instead of executing it again.
 */
export interface WriteOptions {
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** Sends a client's requests. Both methods throw `ServiceError` when the request fails. */
export interface Sender {
  json<T>(path: string, request: Request): Promise<T>;
  blob(path: string, request: Request): Promise<Blob>;
}

export const idempotencyHeader = (key: string | undefined): Record<string, string> =>
  key ? { 'Idempotency-Key': key } : {};

/** 128 random bits. `randomUUID` is not available in browsers on pages that were loaded over plain HTTP. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
