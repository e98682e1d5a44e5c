import type { Device } from '../contract/device.ts';
import type { Envelope } from '../contract/envelope.ts';
import type { OperationTypes } from '../contract/operations.ts';
import type { Page } from '../contract/page.ts';
import type { Session } from '../contract/session.ts';
import type { Usage } from '../contract/usage.ts';
import { ServiceError } from './service-error.ts';

/** Longest wait for an answer. A screenshot of a slow phone is the slowest of them. */
const REQUEST_TIMEOUT_MS = 20_000;

export type DeviceQuery = Partial<OperationTypes['devices.list']['query']>;
export type SessionQuery = Partial<OperationTypes['sessions.list']['query']>;
export type ConnectOptions = OperationTypes['devices.connect']['body'];

export interface PhoneboothClientOptions {
  /** With the version and without a slash at the end: `https://phones.example.com/v1`. */
  baseUrl: string;
  key: string;
  fetch?: typeof fetch;
}

interface Request {
  method?: 'GET' | 'POST';
  query?: Record<string, string | number | undefined>;
  body?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** The HTTP operations. Every method throws `ServiceError` when the answer is not success. */
export class PhoneboothClient {
  readonly #options: PhoneboothClientOptions;
  #clockOffsetMs = 0;

  constructor(options: PhoneboothClientOptions) {
    this.#options = options;
  }

  /** What to add to this machine's clock to get the service's, within a second; from the answers' `Date`. */
  get clockOffsetMs(): number {
    return this.#clockOffsetMs;
  }

  listDevices(query: DeviceQuery = {}, signal?: AbortSignal): Promise<Page<Device>> {
    return this.#json('/devices', { query, signal });
  }

  getDevice(deviceId: string, signal?: AbortSignal): Promise<Device> {
    return this.#json(`/devices/${encodeURIComponent(deviceId)}`, { signal });
  }

  /** A repeat with the same idempotency key answers the first one's session instead of a second one. */
  connect(deviceId: string, options: ConnectOptions = {}, idempotencyKey?: string): Promise<Session> {
    const headers: Record<string, string> = idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {};
    const path = `/devices/${encodeURIComponent(deviceId)}/connect`;
    return this.#json(path, { method: 'POST', body: options, headers });
  }

  listSessions(query: SessionQuery = {}, signal?: AbortSignal): Promise<Page<Session>> {
    return this.#json('/sessions', { query, signal });
  }

  getSession(sessionId: string, signal?: AbortSignal): Promise<Session> {
    return this.#json(`/sessions/${encodeURIComponent(sessionId)}`, { signal });
  }

  disconnect(sessionId: string): Promise<Session> {
    return this.#json(`/sessions/${encodeURIComponent(sessionId)}/disconnect`, { method: 'POST' });
  }

  /** Adds `duration` minutes to a live session. */
  extend(sessionId: string, duration: number): Promise<Session> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/extend`;
    return this.#json(path, { method: 'POST', body: { duration } });
  }

  getUsage(signal?: AbortSignal): Promise<Usage> {
    return this.#json('/usage', { signal });
  }

  /** The phone's screen now, as PNG. */
  async screenshot(sessionId: string, signal?: AbortSignal): Promise<Blob> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/screenshot`;
    const response = await this.#send(path, { signal });
    if (!response.ok) throw await failureOf(response);
    return response.blob();
  }

  async #json<T>(path: string, request: Request): Promise<T> {
    const response = await this.#send(path, request);
    if (!response.ok) throw await failureOf(response);
    const envelope = await readEnvelope<T>(response);
    if (!envelope) throw notTheService(response);
    return envelope.data;
  }

  async #send(path: string, request: Request): Promise<Response> {
    const { baseUrl, key, fetch: send = globalThis.fetch } = this.#options;
    const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const headers: Record<string, string> = { Authorization: `Bearer ${key}`, ...request.headers };
    if (request.body) headers['Content-Type'] = 'application/json';
    try {
      const response = await send(`${baseUrl}${path}${queryString(request.query)}`, {
        method: request.method ?? 'GET',
        headers,
        body: request.body ? JSON.stringify(request.body) : null,
        signal: request.signal ? AbortSignal.any([request.signal, deadline]) : deadline,
      });
      this.#readClock(response);
      return response;
    } catch (error) {
      if (request.signal?.aborted) throw error;
      const message = deadline.aborted
        ? `no answer within ${REQUEST_TIMEOUT_MS / 1000} seconds`
        : 'the service cannot be reached';
      throw new ServiceError(message, 0, 0, {}, error);
    }
  }

  #readClock(response: Response): void {
    const date = Date.parse(response.headers.get('date') ?? '');
    // The header counts whole seconds: half of one is the best guess of what was cut off.
    if (!Number.isNaN(date)) this.#clockOffsetMs = date + 500 - Date.now();
  }
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
  new ServiceError(`the answer (HTTP ${response.status}) is not the service’s`, 0, response.status);

async function failureOf(response: Response): Promise<ServiceError> {
  const envelope = await readEnvelope<Record<string, unknown>>(response);
  if (!envelope) return notTheService(response);
  return new ServiceError(envelope.message, envelope.code, response.status, envelope.data);
}
