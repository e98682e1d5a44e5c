import type { App } from '../contract/app.ts';
import type { Device } from '../contract/device.ts';
import type { Envelope } from '../contract/envelope.ts';
import type { CreatedKey, Key } from '../contract/key.ts';
import type { OperationTypes } from '../contract/operations.ts';
import type { Page } from '../contract/page.ts';
import type { Session } from '../contract/session.ts';
import type { Usage } from '../contract/usage.ts';
import type { UsageDays } from '../contract/usage-days.ts';
import { AdminClient, type NewKey, type PageQuery } from './admin-client.ts';
import { type BorrowOptions, borrow } from './borrow.ts';
import { type HeardEvent, type ListenOptions, listen } from './listen.ts';
import { idempotencyHeader, type Request, type Sender } from './request.ts';
import { type FileSource, sendFile, type UploadProgress } from './send-file.ts';
import { ServiceError } from './service-error.ts';
import { socketUrlFor } from './socket-url.ts';
import { WebhookClient } from './webhook-client.ts';

/** Longest wait for an answer. A screenshot of a slow phone is the slowest of them. */
const REQUEST_TIMEOUT_MS = 20_000;
/** An upload may take as long as it takes, but not stand still for longer; the service reads the file at its end. */
const UPLOAD_STALL_MS = 60_000;

export type DeviceQuery = Partial<OperationTypes['devices.list']['query']>;
export type SessionQuery = Partial<OperationTypes['sessions.list']['query']>;
export type ScreenshotQuery = OperationTypes['sessions.screenshot']['query'];
export type AppQuery = Partial<OperationTypes['apps.list']['query']>;
export type ConnectOptions = OperationTypes['devices.connect']['body'];

export interface UploadOptions {
  onProgress?: (progress: UploadProgress) => void;
  signal?: AbortSignal;
  /** A repeat with the same key and the same bytes answers the first one's app. */
  idempotencyKey?: string;
}

export interface PhoneboothClientOptions {
  /** With the version and without a slash at the end: `https://phones.example.com/v1`. */
  baseUrl: string;
  key: string;
  fetch?: typeof fetch;
  /** Opens sessions' sockets at this origin (`ws://127.0.0.1:7100`) instead of that of their addresses. */
  socketOrigin?: string;
}

/** `signal` is aborted when it has passed. */
interface Deadline {
  signal: AbortSignal;
  timeoutMs: number;
}

/** The HTTP operations. Every method throws `ServiceError` when the answer is not success. */
export class PhoneboothClient {
  /** What those who run the service may do, with a key of the role `admin`. */
  readonly admin: AdminClient;
  readonly webhooks: WebhookClient;
  readonly #options: PhoneboothClientOptions;
  #clockOffsetMs = 0;

  constructor(options: PhoneboothClientOptions) {
    this.#options = options;
    const sender: Sender = {
      json: <T>(path: string, request: Request) => this.#json<T>(path, request),
      blob: (path, request) => this.#blob(path, request),
    };
    this.admin = new AdminClient(sender);
    this.webhooks = new WebhookClient(sender);
  }

  /** What to add to this machine's clock to get the service's, within a second; from the answers' `Date`. */
  get clockOffsetMs(): number {
    return this.#clockOffsetMs;
  }

  /**
   * Where this client opens a session's socket: at the address as it is, or at `socketOrigin` where that was given, or at its own origin where both are on this machine
   * and it speaks plain HTTP, since the address may have a certificate that only this machine's authority vouches for.
   */
  socketUrl(url: string): string {
    const { baseUrl, socketOrigin } = this.#options;
    if (socketOrigin !== undefined) return `${socketOrigin}${new URL(url).pathname}`;
    const { protocol, host, hostname } = new URL(baseUrl);
    const near = (name: string) => ['localhost', '127.0.0.1', '[::1]'].includes(name);
    return near(hostname) && near(new URL(url).hostname) ? socketUrlFor({ protocol, host }, url) : url;
  }

  listDevices(query: DeviceQuery = {}, signal?: AbortSignal): Promise<Page<Device>> {
    return this.#json('/devices', { query, signal });
  }

  getDevice(deviceId: string, signal?: AbortSignal): Promise<Device> {
    return this.#json(`/devices/${encodeURIComponent(deviceId)}`, { signal });
  }

  /** A repeat with the same idempotency key answers the first one's session instead of a second one. */
  connect(deviceId: string, options: ConnectOptions = {}, idempotencyKey?: string): Promise<Session> {
    const path = `/devices/${encodeURIComponent(deviceId)}/connect`;
    return this.#json(path, { method: 'POST', body: options, headers: idempotencyHeader(idempotencyKey) });
  }

  /** Any phone that matches, at once or, with `wait`, when one is free; see `BorrowOptions`. */
  borrow(options: BorrowOptions = {}): Promise<Session> {
    const { signal } = options;
    return borrow((body, idempotencyKey) => {
      const headers = { ...EVENT_STREAM, ...idempotencyHeader(idempotencyKey) };
      return this.#open('/sessions', { method: 'POST', body, headers, signal });
    }, options);
  }

  /**
   * What changes of the phones and of own sessions, until the signal is aborted: `for await (const { event, data } of …)`.
   * Lists that are read after the iteration began, and are changed by what it tells, are right.
   */
  events(options: ListenOptions = {}): AsyncGenerator<HeardEvent> {
    return listen((lastEventId, signal) => {
      const from: Record<string, string> = lastEventId === null ? {} : { 'Last-Event-ID': lastEventId };
      return this.#open('/events', { headers: { ...EVENT_STREAM, ...from }, signal });
    }, options);
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

  /** `month`: a UTC calendar month, YYYY-MM; by default the one that it is. */
  getUsageDays(month?: string, signal?: AbortSignal): Promise<UsageDays> {
    return this.#json('/usage/days', { query: { month }, signal });
  }

  /** The account's own keys, newest first, revoked and expired ones too. */
  listKeys(query: PageQuery = {}, signal?: AbortSignal): Promise<Page<Key>> {
    return this.#json('/keys', { query, signal });
  }

  /** The key itself is in this answer and in no other, not even that to a repeat. */
  createKey(key: NewKey, idempotencyKey?: string): Promise<CreatedKey> {
    return this.#json('/keys', { method: 'POST', body: key, headers: idempotencyHeader(idempotencyKey) });
  }

  revokeKey(keyId: string): Promise<Key> {
    return this.#json(`/keys/${encodeURIComponent(keyId)}`, { method: 'DELETE' });
  }

  /** The phone's screen now, as PNG; with `max_side` scaled down to that many pixels on its longer side. */
  screenshot(sessionId: string, signal?: AbortSignal, query: ScreenshotQuery = {}): Promise<Blob> {
    return this.#blob(`/sessions/${encodeURIComponent(sessionId)}/screenshot`, { query, signal });
  }

  /** Has an app put on the session's phone; how it goes is in the session's `app_status`, and in `app.progress`. */
  install(sessionId: string, appId: string, idempotencyKey?: string): Promise<Session> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/apps`;
    return this.#json(path, {
      method: 'POST',
      body: { app_id: appId },
      headers: idempotencyHeader(idempotencyKey),
    });
  }

  listApps(query: AppQuery = {}, signal?: AbortSignal): Promise<Page<App>> {
    return this.#json('/apps', { query, signal });
  }

  getApp(appId: string, signal?: AbortSignal): Promise<App> {
    return this.#json(`/apps/${encodeURIComponent(appId)}`, { signal });
  }

  async deleteApp(appId: string): Promise<void> {
    await this.#json(`/apps/${encodeURIComponent(appId)}`, { method: 'DELETE' });
  }

  /** Its icon, as PNG or WebP; null where it has none in pixels. The address asks for the key, so an `<img>` cannot. */
  async appIcon(app: Pick<App, 'icon_url'>, signal?: AbortSignal): Promise<Blob | null> {
    return app.icon_url === null ? null : this.#blob(app.icon_url, { signal });
  }

  /**
   * Uploads an .apk, or an .apks or .xapk with its splits; the same bytes as before answer the same app. It fails when
   * nothing moves for a minute, and throws the signal's reason when that is aborted.
   */
  async uploadApp(source: FileSource, options: UploadOptions = {}): Promise<App> {
    const { baseUrl, key, fetch: send = globalThis.fetch } = this.#options;
    const stall = new AbortController();
    const arm = () => setTimeout(() => stall.abort(), UPLOAD_STALL_MS);
    let timer = arm();
    const onProgress = (progress: UploadProgress) => {
      clearTimeout(timer);
      timer = arm();
      options.onProgress?.(progress);
    };
    try {
      const response = await sendFile({
        url: `${baseUrl}/apps`,
        headers: { Authorization: `Bearer ${key}`, ...idempotencyHeader(options.idempotencyKey) },
        source,
        fetch: send,
        onProgress,
        signal: options.signal ? AbortSignal.any([options.signal, stall.signal]) : stall.signal,
      });
      this.#readClock(response);
      return await dataOf<App>(response);
    } catch (error) {
      if (options.signal?.aborted || error instanceof ServiceError) throw error;
      throw notReached(stall.signal.aborted ? UPLOAD_STALL_MS : null, error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #blob(path: string, request: Request): Promise<Blob> {
    const response = await this.#send(path, request);
    if (!response.ok) throw await failureOf(response);
    return response.blob();
  }

  async #json<T>(path: string, request: Request): Promise<T> {
    return dataOf<T>(await this.#send(path, request));
  }

  async #send(path: string, request: Request): Promise<Response> {
    const timeoutMs = request.timeoutMs ?? REQUEST_TIMEOUT_MS;
    return this.#fetch(path, request, { signal: AbortSignal.timeout(timeoutMs), timeoutMs });
  }

  /** For an answer that goes on: only its beginning has a deadline. */
  async #open(path: string, request: Request): Promise<Response> {
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

  async #fetch(path: string, request: Request, deadline: Deadline): Promise<Response> {
    const { baseUrl, key, fetch: send = globalThis.fetch } = this.#options;
    const headers: Record<string, string> = { Authorization: `Bearer ${key}`, ...request.headers };
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
      throw notReached(deadline.signal.aborted ? deadline.timeoutMs : null, error);
    }
  }

  #readClock(response: Response): void {
    const date = Date.parse(response.headers.get('date') ?? '');
    // The header counts whole seconds: half of one is the best guess of what was cut off.
    if (!Number.isNaN(date)) this.#clockOffsetMs = date + 500 - Date.now();
  }
}

const EVENT_STREAM = { Accept: 'text/event-stream' };

/** `waitedMs`: the deadline that passed, or null when the connection failed before it. */
function notReached(waitedMs: number | null, cause: unknown): ServiceError {
  const message =
    waitedMs === null ? 'the service cannot be reached' : `no answer within ${waitedMs / 1000} seconds`;
  return new ServiceError(message, 0, 0, {}, cause);
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

/** @throws ServiceError unless the answer is a success. */
async function dataOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw await failureOf(response);
  const envelope = await readEnvelope<T>(response);
  if (!envelope) throw notTheService(response);
  return envelope.data;
}

const notTheService = (response: Response) =>
  new ServiceError(`the answer (HTTP ${response.status}) is not the service’s`, 0, response.status);

async function failureOf(response: Response): Promise<ServiceError> {
  const envelope = await readEnvelope<Record<string, unknown>>(response);
  if (!envelope) return notTheService(response);
  return new ServiceError(envelope.message, envelope.code, response.status, envelope.data);
}
