import type { App } from '../contract/http/app.ts';
import type { Artifact } from '../contract/http/artifact.ts';
import type { Device } from '../contract/http/device.ts';
import type { CreatedKey, Key } from '../contract/http/key.ts';
import type { OperationTypes } from '../contract/http/operations.ts';
import type { Page } from '../contract/http/page.ts';
import type { PhoneFile, PhoneFolder } from '../contract/http/phone-file.ts';
import type { Session, WebDriverCommand } from '../contract/http/session.ts';
import type { Usage } from '../contract/http/usage.ts';
import type { UsageDays } from '../contract/http/usage-days.ts';
import type { CreatedRecordingLink, CreatedWatchLink, WatchLink } from '../contract/http/watch-link.ts';
import type { Conditions, ConditionsReport } from '../contract/sockets/conditions.ts';
import { controlDeadlineMs, SCREENSHOT_DEADLINE_MS } from '../contract/sockets/control-deadlines.ts';
import { AdminClient, type NewKey, type PageQuery } from './admin-client.ts';
import {
  type ArtifactDownload,
  artifactPath,
  artifactsOf,
  type DownloadArtifactOptions,
  downloadArtifact,
  type WaitForRecordingOptions,
  waitForRecording,
} from './artifacts.ts';
import { type BorrowOptions, borrow } from './borrow.ts';
import { HttpSender, type HttpSenderOptions } from './http-sender.ts';
import { type ListenOptions, listen, type ReceivedEvent } from './listen.ts';
import { idempotencyHeader, newIdempotencyKey, type WriteOptions } from './request.ts';
import type { FileSource } from './send-file.ts';
import { socketUrlFor } from './socket-url.ts';
import { type UploadOptions, upload } from './upload.ts';
import { watchPage } from './watch-page.ts';
import { WebhookClient } from './webhook-client.ts';

export type DeviceQuery = Partial<OperationTypes['devices.list']['query']>;
export type SessionQuery = Partial<OperationTypes['sessions.list']['query']>;
export type ScreenshotQuery = OperationTypes['sessions.screenshot']['query'];
export type AppQuery = Partial<OperationTypes['apps.list']['query']>;
export type ConnectOptions = OperationTypes['devices.connect']['body'];

export interface PhoneboothClientOptions extends HttpSenderOptions {
  /** Opens the sessions' sockets at this origin (`ws://127.0.0.1:7100`) instead of the origin of their addresses. */
  socketOrigin?: string;
}

/** The HTTP operations. Every method throws `ServiceError` when the request fails. */
export class PhoneboothClient {
  /** The operations for operators. They require a key of the role `admin`. */
  readonly admin: AdminClient;
  readonly webhooks: WebhookClient;
  readonly #options: PhoneboothClientOptions;
  readonly #http: HttpSender;

  constructor(options: PhoneboothClientOptions) {
    this.#options = options;
    this.#http = new HttpSender(options);
    this.admin = new AdminClient(this.#http);
    this.webhooks = new WebhookClient(this.#http);
  }

  /**
   * Offset to add to this machine's clock to get the service's time, accurate to about a second. It is derived from
   * the `Date` header of responses.
   */
  get clockOffsetMs(): number {
    return this.#http.clockOffsetMs;
  }

  /**
   * Returns the address at which this client opens a session's socket. That is `socketOrigin` if it was given.
   * Otherwise it is the client's own origin if the service is on this machine and uses plain HTTP, since the
   * certificate of the public address may be from the local authority, which this client might not trust. Otherwise it
   * is the address unchanged.
   */
  socketUrl(url: string): string {
    const { baseUrl, socketOrigin } = this.#options;
    if (socketOrigin !== undefined) return `${socketOrigin}${new URL(url).pathname}`;
    const { protocol, host, hostname } = new URL(baseUrl);
    const near = (name: string) => ['localhost', '127.0.0.1', '[::1]'].includes(name);
    return near(hostname) && near(new URL(url).hostname) ? socketUrlFor({ protocol, host }, url) : url;
  }

  listDevices(query: DeviceQuery = {}, signal?: AbortSignal): Promise<Page<Device>> {
    return this.#http.json('/devices', { query, signal });
  }

  getDevice(deviceId: string, signal?: AbortSignal): Promise<Device> {
    return this.#http.json(`/devices/${encodeURIComponent(deviceId)}`, { signal });
  }

  /**
   * A repeat with the same idempotency key returns the session of the first request instead of creating a second one.
   */
  connect(deviceId: string, request: ConnectOptions = {}, options: WriteOptions = {}): Promise<Session> {
    const { signal, idempotencyKey = newIdempotencyKey() } = options;
    const path = `/devices/${encodeURIComponent(deviceId)}/connect`;
    const headers = idempotencyHeader(idempotencyKey);
    return this.#http.json(path, { method: 'POST', body: request, headers, signal });
  }

  /** Borrows any phone that matches, immediately or, with `wait`, when one is available; see `BorrowOptions`. */
  borrow(options: BorrowOptions = {}): Promise<Session> {
    const { signal } = options;
    return borrow((body, idempotencyKey) => {
      const headers = { ...EVENT_STREAM, ...idempotencyHeader(idempotencyKey) };
      return this.#http.open('/sessions', { method: 'POST', body, headers, signal });
    }, options);
  }

  /**
   * Yields changes of the devices and of the account's sessions until the signal is aborted: `for await (const {
   * event, data } of …)`. To have a consistent view, read the lists after the iteration has begun, then apply the
   * events to them.
   */
  events(options: ListenOptions = {}): AsyncGenerator<ReceivedEvent> {
    return listen((lastEventId, signal) => {
      const from: Record<string, string> = lastEventId === null ? {} : { 'Last-Event-ID': lastEventId };
      return this.#http.open('/events', { headers: { ...EVENT_STREAM, ...from }, signal });
    }, options);
  }

  listSessions(query: SessionQuery = {}, signal?: AbortSignal): Promise<Page<Session>> {
    return this.#http.json('/sessions', { query, signal });
  }

  getSession(sessionId: string, signal?: AbortSignal): Promise<Session> {
    return this.#http.json(`/sessions/${encodeURIComponent(sessionId)}`, { signal });
  }

  /** A repeat has no effect. */
  disconnect(sessionId: string, signal?: AbortSignal): Promise<Session> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/disconnect`;
    return this.#http.json(path, { method: 'POST', isRepeatable: true, signal });
  }

  /** Extends a live session by `duration` minutes. A repeat extends it again. */
  extend(sessionId: string, duration: number, signal?: AbortSignal): Promise<Session> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/extend`;
    return this.#http.json(path, { method: 'POST', body: { duration }, signal });
  }

  /**
   * Creates a link with which anyone can watch a session's screen, without a key, until the session ends or the link
   * is revoked. Only this response contains the address; `watchPage` converts it to an address for a browser.
   */
  createWatchLink(sessionId: string, options: WriteOptions = {}): Promise<CreatedWatchLink> {
    const { signal, idempotencyKey = newIdempotencyKey() } = options;
    const headers = idempotencyHeader(idempotencyKey);
    return this.#http.json(watchLinks(sessionId), { method: 'POST', headers, signal });
  }

  /**
   * Returns the address at which a browser shows the stream of a watch link. `name` is the phone's name on that page.
   */
  watchPage({ stream_url: streamUrl }: Pick<CreatedWatchLink, 'stream_url'>, name = ''): string {
    return watchPage(new URL(this.#options.baseUrl).origin, { streamUrl, name });
  }

  /**
   * Creates a link with which anyone can see the recording of a session, without a key, until it expires after
   * `expires_in` minutes or is revoked. Returns the URL of its page, which only this response contains.
   */
  async createRecordingLink(
    sessionId: string,
    { signal, idempotencyKey = newIdempotencyKey(), expires_in }: WriteOptions & { expires_in?: number } = {},
  ): Promise<CreatedRecordingLink> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/recording-links`;
    const [headers, body] = [idempotencyHeader(idempotencyKey), { expires_in }];
    const link = await this.#http.json<CreatedRecordingLink>(path, { method: 'POST', headers, body, signal });
    const base = new URL(this.#options.baseUrl, globalThis.location?.href);
    return { ...link, page: new URL(link.page, base).href };
  }

  /** Lists the watch links of a session, newest first, including revoked ones. */
  listWatchLinks(sessionId: string, query: PageQuery = {}, signal?: AbortSignal): Promise<Page<WatchLink>> {
    return this.#http.json(watchLinks(sessionId), { query, signal });
  }

  /** A repeat has no effect. */
  revokeWatchLink(sessionId: string, linkId: string, signal?: AbortSignal): Promise<WatchLink> {
    const path = `${watchLinks(sessionId)}/${encodeURIComponent(linkId)}`;
    return this.#http.json(path, { method: 'DELETE', signal });
  }

  getUsage(signal?: AbortSignal): Promise<Usage> {
    return this.#http.json('/usage', { signal });
  }

  /** `month` is a UTC calendar month, YYYY-MM. The default is the current month. */
  getUsageDays(month?: string, signal?: AbortSignal): Promise<UsageDays> {
    return this.#http.json('/usage/days', { query: { month }, signal });
  }

  /** Lists the account's own keys, newest first, including revoked and expired ones. */
  listKeys(query: PageQuery = {}, signal?: AbortSignal): Promise<Page<Key>> {
    return this.#http.json('/keys', { query, signal });
  }

  /** Only this response contains the key itself; the response to a repeat does not. */
  createKey(key: NewKey, { idempotencyKey, signal }: WriteOptions = {}): Promise<CreatedKey> {
    const headers = idempotencyHeader(idempotencyKey);
    return this.#http.json('/keys', { method: 'POST', body: key, headers, signal });
  }

  revokeKey(keyId: string, signal?: AbortSignal): Promise<Key> {
    return this.#http.json(`/keys/${encodeURIComponent(keyId)}`, { method: 'DELETE', signal });
  }

  /** Returns the phone's current screen as PNG. `max_side` scales it down to that many pixels on its longer side. */
  screenshot(sessionId: string, signal?: AbortSignal, query: ScreenshotQuery = {}): Promise<Blob> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/screenshot`;
    return this.#http.blob(path, { query, signal, timeoutMs: SCREENSHOT_DEADLINE_MS + 10_000 });
  }

  /** Returns the conditions of the session's phone, such as dark mode, and those that it cannot change. */
  conditions(sessionId: string, signal?: AbortSignal): Promise<ConditionsReport> {
    return this.#http.json(conditionsOf(sessionId), { signal, timeoutMs: deadlineOf('conditions.get') });
  }

  /** Changes conditions until the end of the session; if one of them is not supported or fails, none is changed. */
  setConditions(sessionId: string, conditions: Conditions, signal?: AbortSignal): Promise<ConditionsReport> {
    const timeoutMs = deadlineOf('conditions.set');
    return this.#http.json(conditionsOf(sessionId), { method: 'PATCH', body: conditions, signal, timeoutMs });
  }

  /** Returns the latest commands of the WebDriver client on a session, newest first; none unless it is connected. */
  webDriverCommands(sessionId: string, signal?: AbortSignal): Promise<{ items: WebDriverCommand[] }> {
    return this.#http.json(`/sessions/${encodeURIComponent(sessionId)}/commands`, { signal });
  }

  /**
   * Starts the installation of an app on the session's phone. The session's `app_status` and `app.progress`
   * notifications report the progress.
   */
  install(sessionId: string, appId: string, options: WriteOptions = {}): Promise<Session> {
    const { signal, idempotencyKey = newIdempotencyKey() } = options;
    const path = `/sessions/${encodeURIComponent(sessionId)}/apps`;
    const headers = idempotencyHeader(idempotencyKey);
    return this.#http.json(path, { method: 'POST', body: { app_id: appId }, headers, signal });
  }

  listApps(query: AppQuery = {}, signal?: AbortSignal): Promise<Page<App>> {
    return this.#http.json('/apps', { query, signal });
  }

  getApp(appId: string, signal?: AbortSignal): Promise<App> {
    return this.#http.json(`/apps/${encodeURIComponent(appId)}`, { signal });
  }

  async deleteApp(appId: string, signal?: AbortSignal): Promise<void> {
    await this.#http.json(`/apps/${encodeURIComponent(appId)}`, { method: 'DELETE', signal });
  }

  /**
   * Returns the app's icon as PNG or WebP, or null when it has no bitmap icon. The address requires the key, so an
   * `<img>` element cannot load it.
   */
  async appIcon(app: Pick<App, 'icon_url'>, signal?: AbortSignal): Promise<Blob | null> {
    return app.icon_url === null ? null : this.#http.blob(app.icon_url, { signal });
  }

  /**
   * Uploads an .apk, or an .apks or .xapk with its splits. The same bytes as before return the same app. It fails
   * when there is no progress for a minute, and throws the signal's reason when that is aborted.
   */
  uploadApp(source: FileSource, options: UploadOptions & WriteOptions = {}): Promise<App> {
    const headers = idempotencyHeader(options.idempotencyKey);
    return upload(this.#http, this.#options, { method: 'POST', path: '/apps', headers }, source, options);
  }

  /** Lists a folder in the shared storage of the session's phone, `/sdcard` by default. */
  listFiles(sessionId: string, path?: string, signal?: AbortSignal): Promise<PhoneFolder> {
    return this.#http.json(filesOf(sessionId), { query: { path }, signal, timeoutMs: FILE_TIMEOUT_MS });
  }

  /**
   * Writes a file to the shared storage of the session's phone, and creates missing folders. It is removed when the
   * session has ended. Fails after a minute without progress, and throws the signal's reason when that is aborted.
   */
  pushFile(
    sessionId: string,
    path: string,
    source: FileSource,
    { overwrite = false, ...options }: UploadOptions & { overwrite?: boolean } = {},
  ): Promise<PhoneFile> {
    const query = new URLSearchParams({ path, overwrite: String(overwrite) });
    const target = { method: 'PUT', path: `${filesOf(sessionId)}/content?${query}` } as const;
    return upload(this.#http, this.#options, target, source, options);
  }

  /**
   * Opens a file in the shared storage of the session's phone. `size` is in bytes; if the transfer breaks off, reading
   * the stream fails.
   */
  async pullFile(
    sessionId: string,
    path: string,
    signal?: AbortSignal,
  ): Promise<{ size: number; bytes: ReadableStream<Uint8Array<ArrayBuffer>> }> {
    const response = await this.#http.open(`${filesOf(sessionId)}/content`, { query: { path }, signal });
    return { size: Number(response.headers.get('content-length')), bytes: response.body! };
  }

  /** URL from which a browser downloads a file of the session's phone while it is signed in to the console. */
  fileUrl(sessionId: string, path: string): string {
    return `${this.#options.baseUrl}${filesOf(sessionId)}/content?${new URLSearchParams({ path })}`;
  }

  /** Deletes a file, or an empty folder, in the shared storage of the session's phone. */
  async deleteFile(sessionId: string, path: string, signal?: AbortSignal): Promise<void> {
    const request = { method: 'DELETE', query: { path }, signal, timeoutMs: FILE_TIMEOUT_MS } as const;
    await this.#http.json(filesOf(sessionId), request);
  }

  /**
   * Resolves with the session when its recording is complete or has failed, see `recording.status`. A
   * recording is complete shortly after its session has ended.
   * @throws Error when the session is not recorded, or after `timeoutMs`
   */
  waitForRecording(sessionId: string, options: WaitForRecordingOptions = {}): Promise<Session> {
    return waitForRecording((signal) => this.getSession(sessionId, signal), options);
  }

  /** Lists the artifacts of a recorded session in chronological order: videos, events, log and screenshots. */
  listArtifacts(sessionId: string, signal?: AbortSignal): Promise<{ items: Artifact[] }> {
    return this.#http.json(artifactsOf(sessionId), { signal });
  }

  /** Opens an artifact. If the connection is lost, reading the stream fails, and `start` resumes the download. */
  downloadArtifact(
    sessionId: string,
    artifactId: string,
    options: DownloadArtifactOptions = {},
  ): Promise<ArtifactDownload> {
    return downloadArtifact(this.#http, artifactPath(sessionId, artifactId), options);
  }

  /** URL from which a browser downloads or plays an artifact while it is signed in to the console. */
  artifactUrl(sessionId: string, artifactId: string): string {
    return `${this.#options.baseUrl}${artifactPath(sessionId, artifactId)}`;
  }

  async deleteArtifact(sessionId: string, artifactId: string, signal?: AbortSignal): Promise<void> {
    await this.#http.json(artifactPath(sessionId, artifactId), { method: 'DELETE', signal });
  }
}

/** A phone has half a minute to list a folder, or to delete a file. */
const FILE_TIMEOUT_MS = 60_000;

const filesOf = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}/files`;

const watchLinks = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}/watch-links`;

const conditionsOf = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}/conditions`;

const deadlineOf = (method: 'conditions.get' | 'conditions.set') => controlDeadlineMs('client', method);

const EVENT_STREAM = { Accept: 'text/event-stream' };
