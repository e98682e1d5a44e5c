/** One request of a client, apart from its path. */
export interface Request {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  query?: Record<string, string | number | undefined>;
  body?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** Longest wait for the whole answer, milliseconds. */
  timeoutMs?: number;
  /** Whether doing it twice is doing it once, though it is a POST. */
  isRepeatable?: boolean;
}

/** For what changes something. A repeat with the same key answers what the first one did instead of doing it again. */
export interface WriteOptions {
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** What sends a client's requests. Both throw `ServiceError` when the answer is not success. */
export interface Sender {
  json<T>(path: string, request: Request): Promise<T>;
  blob(path: string, request: Request): Promise<Blob>;
}

export const idempotencyHeader = (key: string | undefined): Record<string, string> =>
  key ? { 'Idempotency-Key': key } : {};

/** 128 random bits. `randomUUID` would do, but browsers keep it from pages that came over plain HTTP. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
