import type {
  ControlMethod,
  ControlNotification,
  ControlNotifications,
  ControlParams,
  ControlResult,
  PhoneMethod,
} from '../contract/control-methods.ts';
import { RPC_ERRORS } from '../contract/rpc-errors.ts';
import type { Session } from '../contract/session.ts';
import type { StreamPacket } from '../contract/stream-packets.ts';
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
  /** Only looks on: leaves control to whoever has it, and every command fails. */
  watch?: boolean;
}

/**
 * A borrowed phone. Commands wait until the phone is ready, and again after a lost connection; they throw ControlError when
 * the phone refuses, SessionEndedError when it is over. `await using` gives the phone back at the end of the block.
 */
export class PhoneSession extends PhoneControls implements AsyncDisposable {
  readonly id: string;
  readonly deviceId: string;
  /** Resolved when the phone takes commands; rejected with SessionEndedError when it never will. */
  readonly ready: Promise<void>;
  /** Resolved when the session is over, however it ended. */
  readonly ended: Promise<SessionEndedError>;
  /** Resolved when another client has taken control: commands fail from then on, and notifications stop. */
  readonly takenOver: Promise<void>;
  /** What the phone can do; empty until it is ready. */
  capabilities: readonly PhoneMethod[] = [];
  /** ISO 8601. */
  expiresAt: string;
  readonly streamUrl: string;
  /** null: the key may only look. */
  readonly controlUrl: string | null;
  readonly #client: PhoneboothClient;
  readonly #webSocket: WebSocketClass | undefined;
  readonly #link: ControlLink | SessionPoll;
  /** Of a session that another client controls now: its control socket tells nothing more. */
  #watch: SessionPoll | null = null;
  readonly #listeners = new Set<Listener>();
  readonly #feeds = new Set<FrameFeed>();
  readonly #end = deferred<SessionEndedError>();
  readonly #readiness = deferred<void>();
  readonly #takeover = deferred<void>();
  readonly #gate = new CommandGate();
  #endWords: { reason: string; detail: string | null } | null = null;
  #isOver = false;
  #looking = false;

  constructor(client: PhoneboothClient, session: Session, options: PhoneSessionOptions = {}) {
    super();
    this.#client = client;
    this.#webSocket = options.webSocket;
    this.id = session.session_id;
    this.deviceId = session.device_id;
    this.expiresAt = session.expires_at;
    this.streamUrl = client.socketUrl(session.stream_url);
    this.controlUrl = session.control_url && client.socketUrl(session.control_url);
    this.ready = this.#readiness.promise;
    this.ended = this.#end.promise;
    this.takenOver = this.#takeover.promise;
    // A caller that does not await it learns the same from its next command.
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

  /** Why the control socket could not be opened the last time; null while it is open, or where nothing says why. */
  get connectionProblem(): string | null {
    return this.#link.problem;
  }

  /** Listens to what the service and the phone say: `session.expiring`, `device.rotated`, `log.line` and the like. */
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

  /** The screen now, as PNG; with `max_side` scaled down to that many pixels on its longer side. */
  async screenshot(signal?: AbortSignal, query: ScreenshotQuery = {}): Promise<Uint8Array> {
    await abortable(this.ready, signal);
    return new Uint8Array(await (await this.#client.screenshot(this.id, signal, query)).arrayBuffer());
  }

  /** Adds minutes. @throws ServiceError 40011 when the account has too few */
  async extend(minutes: number, signal?: AbortSignal): Promise<void> {
    this.expiresAt = (await this.#client.extend(this.id, minutes, signal)).expires_at;
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

  /**
   * Records the screen from now on to an MP4 file, without encoding it anew, until it is stopped, the signal is aborted or
   * the session ends. Where the phone is turned the file ends, and `name-2.mp4` follows. In browsers, which have no files
   * by name, pass where to write as a `RecordingStorage`. Resolved when the first picture is in.
   * @throws Error when no picture comes
   */
  async record<T = string>(
    to: string | RecordingStorage<T>,
    options: CallOptions = {},
  ): Promise<Recording<T>> {
    await abortable(this.ready, options.signal);
    const { recordStream, filesNamed } = await import('./recording/record-stream.ts');
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

  /** Gives the phone back; a repeat changes nothing. */
  async disconnect(signal?: AbortSignal): Promise<Session> {
    const session = await this.#client.disconnect(this.id, signal);
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
        // -32003 means that the phone has not seen the command. After any other error it may have carried it out.
        if (!(error instanceof ControlError) || error.code !== RPC_ERRORS.notConnected) {
          this.#answered();
          throw error;
        }
        if (this.#link.phase === 'taken-over') throw error;
        if (this.#link.phase === 'ready') this.#gate.refuse();
      }
    }
  }

  /** The phone takes commands, whatever it answered. */
  #answered(): void {
    if (this.#link.phase === 'ready') this.#gate.open();
  }

  #phase(phase: ControlLink['phase'], capabilities: readonly PhoneMethod[]): void {
    if (phase === 'ready') {
      this.capabilities = capabilities;
      this.#becomeReady();
    } else if (phase === 'taken-over') {
      // Commands do not wait any more: they fail, and say why.
      this.#gate.open();
      this.#takeover.resolve();
      this.#watch ??= this.#poll();
    } else if (phase === 'ended') {
      const { reason, detail } = this.#endWords ?? { reason: 'unknown', detail: null };
      this.#finish(reason, detail);
    } else if (phase === 'connecting') {
      this.#gate.close();
      void this.#look();
    }
  }

  #poll(): SessionPoll {
    return new SessionPoll(
      () => this.#client.getSession(this.id),
      (now) => this.#seen(now),
    );
  }

  /** A socket that is refused does not say why: the session may be over. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const session = await this.#client.getSession(this.id).catch(() => null);
    this.#looking = false;
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
    if (method === 'session.ended') this.#endWords = { reason: params.reason, detail: params.detail ?? null };
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
