import type { Session } from '../contract/http/session.ts';
import type {
  ControlMethod,
  ControlParams,
  ControlResult,
  PhoneMethod,
} from '../contract/sockets/control-methods.ts';
import type { ControlNotification, ControlNotifications } from '../contract/sockets/control-notifications.ts';
import { RPC_ERRORS } from '../contract/sockets/rpc-errors.ts';
import type { StreamPacket } from '../contract/sockets/stream-packets.ts';
import { abortable } from './abortable.ts';
import { CommandGate } from './command-gate.ts';
import { ControlLink } from './control-link.ts';
import { ControlError } from './control-socket.ts';
import { deferred } from './deferred.ts';
import { FrameFeed } from './frame-feed.ts';
import { type CallOptions, PhoneControls } from './phone-controls.ts';
import type { PhoneboothClient, ScreenshotQuery } from './phonebooth-client.ts';
import type { Recording } from './recording/record-stream.ts';
import type { RecordingStorage } from './recording/recording-storage.ts';
import { SessionEndedError } from './session-ended-error.ts';
import { SessionPoll } from './session-poll.ts';
import { StreamLink } from './stream-link.ts';
import type { WebSocketClass } from './web-socket.ts';

type Listener = (notification: ControlNotification) => void;

export interface PhoneSessionOptions {
  webSocket?: WebSocketClass;
  /** Only watches: the current controller keeps control, and every command fails. */
  watch?: boolean;
}

/**
 * A session on a borrowed phone. Commands wait until the phone is ready, and again after a lost connection. They
 * throw ControlError when the phone rejects them, and SessionEndedError when the session has ended. `await using`
 * ends the session at the end of the block.
 */
export class PhoneSession extends PhoneControls implements AsyncDisposable {
  readonly id: string;
  readonly deviceId: string;
  /** null for a session that started before the service recorded names. */
  readonly deviceName: string | null;
  /** Whether the service records the session. */
  readonly isRecorded: boolean;
  /** Resolves when the phone accepts commands. Rejects with SessionEndedError when the session ends before that. */
  readonly ready: Promise<void>;
  /** Resolves when the session has ended, for any reason. */
  readonly ended: Promise<SessionEndedError>;
  /** Resolves when another client has taken control. From then on commands fail, and no notifications arrive. */
  readonly takenOver: Promise<void>;
  /** The methods that the phone supports; empty until it is ready. */
  capabilities: readonly PhoneMethod[] = [];
  /** ISO 8601. */
  expiresAt: string;
  readonly streamUrl: string;
  /** null when the key may only watch. */
  readonly controlUrl: string | null;
  readonly #client: PhoneboothClient;
  readonly #webSocket: WebSocketClass | undefined;
  readonly #link: ControlLink | SessionPoll;
  /** Polls the session when another client has control, because the control socket then receives no notifications. */
  #watch: SessionPoll | null = null;
  readonly #listeners = new Set<Listener>();
  readonly #feeds = new Set<FrameFeed>();
  readonly #end = deferred<SessionEndedError>();
  readonly #readiness = deferred<void>();
  readonly #takeover = deferred<void>();
  readonly #gate = new CommandGate();
  #announcedEnd: { reason: string; detail: string | null } | null = null;
  #isOver = false;
  #isReading = false;

  constructor(client: PhoneboothClient, session: Session, options: PhoneSessionOptions = {}) {
    super();
    this.#client = client;
    this.#webSocket = options.webSocket;
    this.id = session.session_id;
    this.deviceId = session.device_id;
    this.deviceName = session.device_name;
    // A service of an earlier version does not have the field.
    this.isRecorded = (session.recording ?? null) !== null;
    this.expiresAt = session.expires_at;
    this.streamUrl = client.socketUrl(session.stream_url);
    this.controlUrl = session.control_url && client.socketUrl(session.control_url);
    this.ready = this.#readiness.promise;
    this.ended = this.#end.promise;
    this.takenOver = this.#takeover.promise;
    // A caller that does not await `ready` gets the same error from its next command.
    this.ready.catch(() => {});
    this.#link =
      options.watch || !this.controlUrl
        ? this.#poll()
        : new ControlLink(
            this.controlUrl,
            ({ phase, capabilities }) => this.#phase(phase, capabilities),
            (notification) => this.#notified(notification),
            options.webSocket,
          );
  }

  /**
   * Why the control socket could not be opened the last time; null while it is open, or when the cause is unknown.
   */
  get connectionProblem(): string | null {
    return this.#link.problem;
  }

  /**
   * Subscribes to notifications of the service and the phone: `session.expiring`, `device.rotated`, `log.line` and
   * others.
   */
  override on<M extends ControlNotification['method']>(
    method: M,
    listener: (params: ControlNotifications[M]) => void,
  ): () => void {
    const own: Listener = (notification) => {
      if (notification.method === method) listener(notification.params as ControlNotifications[M]);
    };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  override call<M extends ControlMethod>(
    method: M,
    params: ControlParams<M>,
    { signal }: CallOptions = {},
  ): Promise<ControlResult<M>> {
    return abortable(this.#call(method, params, signal), signal);
  }

  /** Returns the current screen as PNG. `max_side` scales it down to that many pixels on its longer side. */
  async screenshot(signal?: AbortSignal, query: ScreenshotQuery = {}): Promise<Uint8Array> {
    await abortable(this.ready, signal);
    return new Uint8Array(await (await this.#client.screenshot(this.id, signal, query)).arrayBuffer());
  }

  /**
   * Extends the session by this number of minutes.
   * @throws ServiceError 40011 when the account's quota is insufficient
   */
  async extend(minutes: number, signal?: AbortSignal): Promise<void> {
    this.expiresAt = (await this.#client.extend(this.id, minutes, signal)).expires_at;
  }

  /**
   * Streams the screen: its size, the H.264 parameter sets, and access units (Annex B). It ends with the session,
   * when the signal is aborted, or when the loop is left. Each reader has a separate connection.
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

  /**
   * Records the screen in this client, from now on, to an MP4 file, without transcoding, until the recording is
   * stopped, the signal is aborted or the session ends. When the phone is rotated the file ends, and `name-2.mp4`
   * follows. Browsers cannot write files by name: pass a `RecordingStorage` there. Resolves when the first frame has
   * been recorded. To let the service record the session, connect with `record`.
   * @throws Error when no frame arrives
   */
  async record<T = string>(
    to: string | RecordingStorage<T>,
    options: CallOptions = {},
  ): Promise<Recording<T>> {
    await abortable(this.ready, options.signal);
    const { recordStream, filesNamed } = await import('./recording/record-stream.ts').catch((cause) => {
      throw new Error('cannot load the recorder; install the package mediabunny', { cause });
    });
    const storage =
      typeof to === 'string' ? (filesNamed(to) as RecordingStorage<unknown> as RecordingStorage<T>) : to;
    const over = new AbortController();
    void this.ended.then(() => over.abort());
    return recordStream({
      storage,
      open: (handlers) => new StreamLink(this.streamUrl, handlers, this.#webSocket),
      signal: options.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal,
    });
  }

  /** Ends the session. A repeat has no effect. */
  async disconnect(signal?: AbortSignal): Promise<Session> {
    const session = await this.#client.disconnect(this.id, signal);
    this.#finish(session.end_reason ?? 'client', session.end_detail);
    return session;
  }

  /**
   * Closes the connections without ending the session: any client that has the session's id can continue to use it.
   */
  detach(): void {
    this.#finish('client', 'this client released the session');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) await this.disconnect();
  }

  async #call<M extends ControlMethod>(
    method: M,
    params: ControlParams<M>,
    signal: AbortSignal | undefined,
  ): Promise<ControlResult<M>> {
    for (;;) {
      await this.#gate.pass(signal);
      try {
        const result = await this.#link.call(method, params);
        this.#answered();
        return result;
      } catch (error) {
        if (this.#isOver) throw await this.ended;
        // -32003 means that the command did not reach the phone. After any other error the phone may have executed
        // it.
        if (!(error instanceof ControlError) || error.code !== RPC_ERRORS.notConnected) {
          this.#answered();
          throw error;
        }
        if (this.#link.phase === 'taken-over') throw error;
        if (this.#link.phase === 'ready') this.#gate.refuse();
      }
    }
  }

  /** Called when the phone responded to a command, even with an error: it accepts commands. */
  #answered(): void {
    if (this.#link.phase === 'ready') this.#gate.open();
  }

  #phase(phase: ControlLink['phase'], capabilities: readonly PhoneMethod[]): void {
    if (phase === 'ready') {
      this.capabilities = capabilities;
      this.#becomeReady();
    } else if (phase === 'taken-over') {
      // Commands stop waiting: they fail with the error that names the takeover.
      this.#gate.open();
      this.#takeover.resolve();
      this.#watch ??= this.#poll();
    } else if (phase === 'ended') {
      const { reason, detail } = this.#announcedEnd ?? { reason: 'unknown', detail: null };
      this.#finish(reason, detail);
    } else if (phase === 'connecting') {
      this.#gate.close();
      void this.#readSession();
    }
  }

  #poll(): SessionPoll {
    return new SessionPoll(
      () => this.#client.getSession(this.id),
      (now) => this.#seen(now),
    );
  }

  /** Reads the session when a socket is rejected. The rejection has no reason, and the session may have ended. */
  async #readSession(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const session = await this.#client.getSession(this.id).catch(() => null);
    this.#isReading = false;
    if (session?.status === 'disconnected') this.#seen(session);
  }

  #seen({ status, expires_at, end_reason, end_detail }: Session): void {
    this.expiresAt = expires_at;
    if (status === 'connected') this.#becomeReady();
    if (status === 'disconnected') this.#finish(end_reason ?? 'unknown', end_detail);
  }

  #becomeReady(): void {
    this.#readiness.resolve();
    this.#gate.open();
  }

  #notified(notification: ControlNotification): void {
    const { method, params } = notification;
    if (method === 'session.ready' || method === 'session.extended') this.expiresAt = params.expires_at;
    if (method === 'session.ended')
      this.#announcedEnd = { reason: params.reason, detail: params.detail ?? null };
    for (const listener of [...this.#listeners]) listener(notification);
  }

  #finish(reason: string, detail: string | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const error = new SessionEndedError(reason, detail);
    this.#end.resolve(error);
    this.#readiness.reject(error);
    this.#gate.end(error);
    this.#link.dispose();
    this.#watch?.dispose();
    for (const feed of this.#feeds) feed.close();
  }
}
