/** One request of a client, apart from its path. */
export interface Request {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  query?: Record<string, string | number | undefined>;
  body?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** Longest wait for the whole answer, milliseconds. */
  timeoutMs?: number;
}

/** What sends a client's requests. Both throw `ServiceError` when the answer is not success. */
export interface Sender {
  json<T>(path: string, request: Request): Promise<T>;
  blob(path: string, request: Request): Promise<Blob>;
}

export const idempotencyHeader = (key: string | undefined): Record<string, string> =>
  key ? { 'Idempotency-Key': key } : {};
