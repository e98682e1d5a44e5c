import {
  type ControlMethod,
  type ControlNotification,
  type ControlNotifications,
  type ControlParams,
  type ControlResult,
  type PhoneMethod,
  RPC_ERRORS,
  type UiNode,
} from '../contract/control-methods.ts';
import type { Session } from '../contract/session.ts';
import type { StreamPacket } from '../contract/stream-packets.ts';
import { ControlLink } from './control-link.ts';
import { ControlError } from './control-socket.ts';
import { FrameFeed } from './frame-feed.ts';
import type { PhoneboothClient, ScreenshotQuery } from './phonebooth-client.ts';
import type { WebSocketClass } from './stream-socket.ts';

/** The session is over; `reason` is one of the contract's end reasons, `detail` what an operator or the phone said. */
export class SessionEndedError extends Error {
  readonly reason: string;
  readonly detail: string | null;
  constructor(reason: string, detail: string | null) {
    super(`the session has ended (${reason}${detail === null ? '' : `: ${detail}`})`);
    this.name = 'SessionEndedError';
    this.reason = reason;
    this.detail = detail;
  }
}

export interface InstallOptions {
  onProgress?: (progress: ControlNotifications['app.progress']) => void;
}

type Listener = (notification: ControlNotification) => void;

/**
 * A borrowed phone. Coordinates are fractions of the screen, 0 to 1 from its top left. Commands wait until the phone is
 * ready, and again after a lost connection; they throw ControlError when the phone refuses, SessionEndedError when it is
 * over. `await using` gives the phone back at the end of the block.
 */
export class PhoneSession implements AsyncDisposable {
  readonly id: string;
  readonly deviceId: string;
  /** Resolved when the phone takes commands; rejected with SessionEndedError when it never will. */
  readonly ready: Promise<void>;
  /** Resolved when the session is over, however it ended. */
  readonly ended: Promise<SessionEndedError>;
  /** What the phone can do; empty until it is ready. */
  capabilities: readonly PhoneMethod[] = [];
  /** ISO 8601. */
  expiresAt: string;
  readonly streamUrl: string;
  readonly controlUrl: string;
  readonly #client: PhoneboothClient;
  readonly #webSocket: WebSocketClass | undefined;
  readonly #link: ControlLink;
  readonly #listeners = new Set<Listener>();
  readonly #feeds = new Set<FrameFeed>();
  readonly #end = Promise.withResolvers<SessionEndedError>();
  #readiness = Promise.withResolvers<void>();
  #endWords: { reason: string; detail: string | null } | null = null;
  #isReady = false;
  #isOver = false;
  #looking = false;

  constructor(client: PhoneboothClient, session: Session, options: { webSocket?: WebSocketClass } = {}) {
    this.#client = client;
    this.#webSocket = options.webSocket;
    this.id = session.session_id;
    this.deviceId = session.device_id;
    this.expiresAt = session.expires_at;
    this.streamUrl = client.socketUrl(session.stream_url);
    this.controlUrl = client.socketUrl(session.control_url);
    this.ready = this.#readiness.promise;
    this.ended = this.#end.promise;
    // Who does not wait for it is told by the next command.
    this.ready.catch(() => {});
    this.#link = new ControlLink(
      this.controlUrl,
      ({ phase, capabilities }) => this.#phase(phase, capabilities),
      (notification) => this.#notified(notification),
      options.webSocket,
    );
  }

  /** Listens to what the service and the phone say: `session.expiring`, `device.rotated`, `log.line` and the like. */
  on<M extends ControlNotification['method']>(
    method: M,
    listener: (params: ControlNotifications[M]) => void,
  ): () => void {
    const own: Listener = (notification) => {
      if (notification.method === method) listener(notification.params as ControlNotifications[M]);
    };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Any method of the control socket. */
  async call<M extends ControlMethod>(method: M, params: ControlParams<M>): Promise<ControlResult<M>> {
    for (;;) {
      await this.#readiness.promise;
      try {
        return await this.#link.call(method, params);
      } catch (error) {
        if (this.#isOver) throw await this.ended;
        // Not sent, since the connection was lost in between; anything else may have happened on the phone.
        if (!(error instanceof ControlError) || error.code !== RPC_ERRORS.notConnected) throw error;
        if (this.#link.phase === 'taken-over') throw error;
      }
    }
  }

  async tap(x: number, y: number): Promise<void> {
    await this.call('tap', { x, y });
  }

  async longPress(x: number, y: number, ms?: number): Promise<void> {
    await this.call('long_press', { x, y, ...(ms !== undefined && { ms }) });
  }

  async swipe(from: { x: number; y: number }, to: { x: number; y: number }, ms?: number): Promise<void> {
    const line = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
    await this.call('swipe', { ...line, ...(ms !== undefined && { ms }) });
  }

  async touch(params: ControlParams<'touch'>): Promise<void> {
    await this.call('touch', params);
  }

  /** Notches of a wheel: positive is right, and up. */
  async scroll(x: number, y: number, dx: number, dy: number): Promise<void> {
    await this.call('scroll', { x, y, dx, dy });
  }

  /** An Android key name without its prefix: `HOME`, `BACK`, `ENTER`, `VOLUME_UP`. */
  async key(key: string, options: Omit<ControlParams<'key'>, 'key'> = {}): Promise<void> {
    await this.call('key', { key, ...options });
  }

  async text(text: string): Promise<void> {
    await this.call('text', { text });
  }

  async rotate(orientation?: 'portrait' | 'landscape'): Promise<void> {
    await this.call('rotate', orientation === undefined ? {} : { orientation });
  }

  async power(on: boolean): Promise<void> {
    await this.call('power', { on });
  }

  async clipboard(): Promise<string> {
    return (await this.call('clipboard.get', {})).text;
  }

  async setClipboard(text: string, options: { paste?: boolean } = {}): Promise<void> {
    await this.call('clipboard.set', { text, ...options });
  }

  async openUrl(url: string): Promise<void> {
    await this.call('open_url', { url });
  }

  async apps(): Promise<ControlResult<'app.list'>['apps']> {
    return (await this.call('app.list', {})).apps;
  }

  async launch(packageName: string, activity?: string): Promise<void> {
    await this.call('app.launch', { package: packageName, ...(activity !== undefined && { activity }) });
  }

  async stopApp(packageName: string): Promise<void> {
    await this.call('app.stop', { package: packageName });
  }

  async uninstall(packageName: string): Promise<void> {
    await this.call('app.uninstall', { package: packageName });
  }

  /** Installs an uploaded app, and waits until it is there. @throws ControlError with what the phone said */
  async install(appId: string, { onProgress }: InstallOptions = {}): Promise<void> {
    const stop = this.on('app.progress', (progress) => progress.app_id === appId && onProgress?.(progress));
    try {
      await this.call('app.install', { app_id: appId });
    } finally {
      stop();
    }
  }

  /** What is on the screen, with bounds as fractions of it. */
  async uiTree(): Promise<UiNode> {
    return (await this.call('ui.tree', {})).root as UiNode;
  }

  async setLocation(lat: number, lng: number): Promise<void> {
    await this.call('location.set', { lat, lng });
  }

  /** Only where the operator allows it. */
  async shell(command: string): Promise<ControlResult<'shell'>> {
    return this.call('shell', { command });
  }

  /** The screen now, as PNG; with `max_side` scaled down to that many pixels on its longer side. */
  async screenshot(signal?: AbortSignal, query: ScreenshotQuery = {}): Promise<Uint8Array> {
    await this.ready;
    return new Uint8Array(await (await this.#client.screenshot(this.id, signal, query)).arrayBuffer());
  }

  /** Adds minutes. @throws ServiceError 40011 when the account has too few */
  async extend(minutes: number): Promise<void> {
    this.expiresAt = (await this.#client.extend(this.id, minutes)).expires_at;
  }

  /**
   * The screen as it goes on: its size, H.264's parameter sets and access units (Annex B). Ends with the session, with the
   * signal, or when the loop is left. Each reader has a connection of its own.
   */
  async *frames({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<StreamPacket, void> {
    const feed = new FrameFeed(this.streamUrl, this.#webSocket);
    const stop = () => feed.close();
    this.#feeds.add(feed);
    signal?.addEventListener('abort', stop);
    try {
      if (signal?.aborted) return;
      for (let packet = await feed.next(); packet; packet = await feed.next()) yield packet;
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#feeds.delete(feed);
      feed.close();
    }
  }

  /** Gives the phone back; a repeat changes nothing. */
  async disconnect(): Promise<Session> {
    const session = await this.#client.disconnect(this.id);
    this.#finish(session.end_reason ?? 'client', session.end_detail);
    return session;
  }

  /** Closes the connections and leaves the phone lent: whoever has the session's id goes on with it. */
  detach(): void {
    this.#finish('client', 'this program let go of it');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) await this.disconnect();
  }

  #phase(phase: ControlLink['phase'], capabilities: readonly PhoneMethod[]): void {
    if (phase === 'ready') {
      this.capabilities = capabilities;
      this.#isReady = true;
      this.#readiness.resolve();
    } else if (phase === 'ended') {
      const { reason, detail } = this.#endWords ?? { reason: 'unknown', detail: null };
      this.#finish(reason, detail);
    } else if (phase === 'connecting') {
      if (this.#isReady) this.#awaitReadiness();
      void this.#look();
    }
  }

  /** A socket that is refused does not say why: the session may be over. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const session = await this.#client.getSession(this.id).catch(() => null);
    this.#looking = false;
    if (session?.status === 'disconnected') this.#finish(session.end_reason ?? 'unknown', session.end_detail);
  }

  /** Commands wait from here on. */
  #awaitReadiness(): void {
    this.#isReady = false;
    this.#readiness = Promise.withResolvers();
    this.#readiness.promise.catch(() => {});
  }

  #notified(notification: ControlNotification): void {
    const { method, params } = notification;
    if (method === 'session.ready' || method === 'session.extended') this.expiresAt = params.expires_at;
    if (method === 'session.ended') this.#endWords = { reason: params.reason, detail: params.detail ?? null };
    for (const listener of [...this.#listeners]) listener(notification);
  }

  #finish(reason: string, detail: string | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const error = new SessionEndedError(reason, detail);
    this.#end.resolve(error);
    this.#readiness.reject(error);
    this.#link.dispose();
    for (const feed of this.#feeds) feed.close();
  }
}
