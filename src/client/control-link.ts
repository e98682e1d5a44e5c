import type {
  ControlMethod,
  ControlParams,
  ControlResult,
  PhoneMethod,
} from '../contract/sockets/control-methods.ts';
import type { ControlNotification } from '../contract/sockets/control-notifications.ts';
import { RPC_ERRORS } from '../contract/sockets/rpc-errors.ts';
import { RESET_VIDEO } from '../contract/sockets/stream-packets.ts';
import { ControlError, type ControlHandlers, ControlSocket } from './control-socket.ts';
import { afterClose, Backoff } from './reconnect.ts';
import type { WebSocketClass } from './web-socket.ts';

/**
 * connecting: there is no connection yet, or it was lost. ready: the phone accepts commands. taken-over: another
 * client has taken control. ended: the session has ended.
 */
export type ControlPhase = 'connecting' | 'ready' | 'taken-over' | 'ended';

export interface ControlState {
  phase: ControlPhase;
  /**
   * Whether the phone accepted commands before. A user interface reports a lost connection, but not that the first
   * one is still being opened.
   */
  wasReady: boolean;
  /** The methods that the phone supports; empty until it is ready. */
  capabilities: readonly PhoneMethod[];
}

/** The close code of a connection that was lost (RFC 6455, section 7.4.1). */
const LOST = 1006;

/**
 * Controls a session's phone while the session lives. It reconnects, but takes control back from another client only
 * on request.
 */
export class ControlLink {
  readonly #url: string;
  readonly #webSocket: WebSocketClass | undefined;
  readonly #onState: (state: ControlState) => void;
  readonly #onNotification: (notification: ControlNotification) => void;
  readonly #backoff = new Backoff();
  #state: ControlState = { phase: 'connecting', wasReady: false, capabilities: [] };
  #socket: ControlSocket | null = null;
  #openedAt = 0;
  #problem: string | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #done = false;

  constructor(
    url: string,
    onState: (state: ControlState) => void,
    onNotification: (notification: ControlNotification) => void,
    webSocket?: WebSocketClass,
  ) {
    this.#url = url;
    this.#webSocket = webSocket;
    this.#onState = onState;
    this.#onNotification = onNotification;
    this.#connect();
  }

  get phase(): ControlPhase {
    return this.#state.phase;
  }

  /** Why the connection was last lost or could not be opened; null while it is open, or when the cause is unknown. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Sends a command without requesting a response. Returns false when it was not sent. */
  notify<M extends ControlMethod>(method: M, params: ControlParams<M>): boolean {
    return this.#state.phase === 'ready' && (this.#socket?.notify(method, params) ?? false);
  }

  /** Requests a keyframe. Returns false when the request was not sent. */
  requestKeyframe(): boolean {
    return this.#state.phase === 'ready' && (this.#socket?.inject(RESET_VIDEO) ?? false);
  }

  /**
   * Sends a command and waits for its result.
   * @throws ControlError when the command fails, or when this client does not control the phone now
   */
  async call<M extends ControlMethod>(method: M, params: ControlParams<M>): Promise<ControlResult<M>> {
    if (this.#state.phase !== 'ready' || !this.#socket) {
      const isTakenOver = this.#state.phase === 'taken-over';
      throw new ControlError(
        isTakenOver
          ? 'another client has control of the phone; attach to the session again to take control back'
          : 'the phone is not ready; wait until it is, then try again',
        RPC_ERRORS.notConnected,
      );
    }
    return this.#socket.call(method, params);
  }

  takeBack(): void {
    if (this.#state.phase !== 'taken-over') return;
    this.#set({ phase: 'connecting' });
    this.#connect();
  }

  /** Opens a new connection in place of one that no longer answers. */
  reconnect(): void {
    if (this.#state.phase !== 'ready') return;
    this.#socket?.close();
    this.#problem = 'the connection did not answer';
    this.#closed(LOST);
  }

  dispose(): void {
    this.#done = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  #connect(): void {
    if (this.#done) return;
    this.#openedAt = 0;
    const handlers: ControlHandlers = {
      onOpen: () => {
        this.#openedAt = performance.now();
        this.#problem = null;
      },
      onNotification: (notification) => this.#notified(notification),
      onClose: (code, reason) => {
        this.#problem = reason || null;
        this.#closed(code);
      },
    };
    this.#socket = new ControlSocket(this.#url, handlers, this.#webSocket);
  }

  #notified(notification: ControlNotification): void {
    if (notification.method === 'session.ready') {
      this.#set({ phase: 'ready', wasReady: true, capabilities: notification.params.capabilities });
    }
    this.#onNotification(notification);
  }

  #closed(code: number): void {
    this.#socket = null;
    const next = afterClose(code);
    if (next !== 'reconnect') {
      this.#set({ phase: next === 'taken-over' ? 'taken-over' : 'ended' });
      return;
    }
    const openMs = this.#openedAt === 0 ? 0 : performance.now() - this.#openedAt;
    this.#set({ phase: 'connecting' });
    this.#retry = setTimeout(() => this.#connect(), this.#backoff.next(openMs));
  }

  #set(change: Partial<ControlState>): void {
    this.#state = { ...this.#state, ...change };
    if (!this.#done) this.#onState(this.#state);
  }
}
