import type { Envelope } from '../contract/http/envelope.ts';
import type { Request, Sender } from './request.ts';
import { withRetries } from './retry.ts';
import { ServiceError } from './service-error.ts';

/** Longest wait for a response, unless the request specifies a timeout. */
const REQUEST_TIMEOUT_MS = 20_000;

export interface HttpSenderOptions {
  /** Includes the version, without a trailing slash: `https://phones.example.com/v1`. */
  baseUrl: string;
  /** API key; null: the browser session of a user who is signed in to the console, on its own pages. */
  key: string | null;
  fetch?: typeof fetch;
  /** Maximum number of retries of a request that failed temporarily and can be repeated safely. */
  retries?: number;
}

/** `signal` is aborted when the deadline has passed. */
interface Deadline {
  signal: AbortSignal;
  timeoutMs: number;
}

/** Sends requests with the key, and reads the envelopes of their responses. */
export class HttpSender implements Sender {
  readonly #options: HttpSenderOptions;
  #clockOffsetMs = 0;

  constructor(options: HttpSenderOptions) {
    this.#options = options;
  }

  /** Offset to add to this machine's clock to get the service's time, accurate to about a second. */
  get clockOffsetMs(): number {
    return this.#clockOffsetMs;
  }

  get authorization(): Record<string, string> {
    const { key } = this.#options;
    return key === null ? {} : { Authorization: `Bearer ${key}` };
  }

  json<T>(path: string, request: Request): Promise<T> {
    return this.#repeat(request, async () => this.dataOf<T>(await this.#send(path, request)));
  }

  blob(path: string, request: Request): Promise<Blob> {
    return this.#repeat(request, async () => {
      const response = await this.#send(path, request);
      if (!response.ok) throw await failureOf(response);
      return response.blob();
    });
  }

  /** Opens a response that is streamed. The deadline covers only the response headers. */
  async open(path: string, request: Request): Promise<Response> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), REQUEST_TIMEOUT_MS);
    try {
      const deadline = { signal: late.signal, timeoutMs: REQUEST_TIMEOUT_MS };
      const response = await this.#fetch(path, request, deadline);
      if (!response.ok) throw await failureOf(response);
      return response;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws ServiceError unless the response is a success */
  async dataOf<T>(response: Response): Promise<T> {
    this.#readClock(response);
    if (!response.ok) throw await failureOf(response);
    const envelope = await readEnvelope<T>(response);
    if (!envelope) throw notTheService(response);
    return envelope.data;
  }

  #repeat<T>(request: Request, attempt: () => Promise<T>): Promise<T> {
    const { method = 'GET', headers = {}, isRepeatable = false, signal } = request;
    const mayRepeat = isRepeatable || method !== 'POST' || 'Idempotency-Key' in headers;
    return withRetries(attempt, { retries: mayRepeat ? (this.#options.retries ?? 0) : 0, signal });
  }

  #send(path: string, request: Request): Promise<Response> {
    const timeoutMs = request.timeoutMs ?? REQUEST_TIMEOUT_MS;
    return this.#fetch(path, request, { signal: AbortSignal.timeout(timeoutMs), timeoutMs });
  }

  async #fetch(path: string, request: Request, deadline: Deadline): Promise<Response> {
    const { baseUrl, fetch: send = globalThis.fetch } = this.#options;
    const headers: Record<string, string> = { ...this.authorization, ...request.headers };
    if (request.body) headers['Content-Type'] = 'application/json';
    try {
      const response = await send(`${baseUrl}${path}${queryString(request.query)}`, {
        method: request.method ?? 'GET',
        headers,
        body: request.body ? JSON.stringify(request.body) : null,
        signal: request.signal ? AbortSignal.any([request.signal, deadline.signal]) : deadline.signal,
      });
      this.#readClock(response);
      return response;
    } catch (error) {
      if (request.signal?.aborted) throw error;
      throw notReached(baseUrl, deadline.signal.aborted ? deadline.timeoutMs : null, error);
    }
  }

  #readClock(response: Response): void {
    const date = Date.parse(response.headers.get('date') ?? '');
    // The `Date` header has a resolution of one second: half a second is the best estimate of the truncated part.
    if (!Number.isNaN(date)) this.#clockOffsetMs = date + 500 - Date.now();
  }
}

/** `waitedMs` is the timeout that passed, or null when the connection failed before that. */
export function notReached(baseUrl: string, waitedMs: number | null, cause: unknown): ServiceError {
  const { origin } = new URL(baseUrl, globalThis.location?.href);
  const message =
    waitedMs === null
      ? [`cannot reach ${origin}`, whyNotReached(cause)].filter(Boolean).join(': ')
      : `timed out after ${waitedMs / 1000} s: ${origin} did not answer`;
  return new ServiceError(message, 0, 0, {}, { cause });
}

const UNKNOWN_AUTHORITY = 'its certificate is from an unknown authority';

/** Readable texts for error codes of Node's sockets. Other errors have a readable message. */
const CAUSES: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not use TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the port does not use TLS',
};

/** Node's `fetch` sets the socket error as the cause; browsers set no cause. */
function whyNotReached(error: unknown): string {
  const given = error instanceof Error ? error.cause : undefined;
  // An AggregateError has one error for each address of the host name.
  const cause = given instanceof AggregateError ? given.errors[0] : given;
  if (!(cause instanceof Error)) return '';
  return CAUSES['code' in cause ? String(cause.code) : ''] ?? cause.message;
}

function queryString(query: Request['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}

async function readEnvelope<T>(response: Response): Promise<Envelope<T> | null> {
  try {
    const body: unknown = await response.json();
    if (typeof body !== 'object' || body === null || !('code' in body) || !('data' in body)) return null;
    return body as Envelope<T>;
  } catch {
    return null;
  }
}

const notTheService = (response: Response) =>
  new ServiceError(
    `the response of ${originOf(response)} (HTTP ${response.status}) is not from a Phonebooth service; check the URL`,
    0,
    response.status,
  );

/** A response that a test or a custom `fetch` creates has no URL. */
const originOf = ({ url }: Response) => (URL.canParse(url) ? new URL(url).origin : 'the server');

async function failureOf(response: Response): Promise<ServiceError> {
  const envelope = await readEnvelope<Record<string, unknown>>(response);
  if (!envelope) return notTheService(response);
  const retryAfterSeconds = secondsOf(response.headers.get('retry-after'));
  return new ServiceError(envelope.message, envelope.code, response.status, envelope.data, {
    retryAfterSeconds,
  });
}

/** Parses the header in seconds. A date, which the service does not send, gives null. */
const secondsOf = (header: string | null) => (header && /^\d{1,6}$/.test(header) ? Number(header) : null);
