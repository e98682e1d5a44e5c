import { controlDeadlineMs } from '../contract/sockets/control-deadlines.ts';
import type { ControlMethod, ControlParams, ControlResult } from '../contract/sockets/control-methods.ts';
import type { ControlNotification } from '../contract/sockets/control-notifications.ts';
import { OPEN, OPEN_TIMEOUT_MS, reasonOf, type WebSocketClass, type WebSocketLike } from './web-socket.ts';

/** Maximum number of calls that wait for a response. */
const MAX_PENDING_CALLS = 256;
/** With more unsent bytes than this, the latency is too high to control a phone. */
const MAX_UNSENT_BYTES = 1024 * 1024;

export interface ControlHandlers {
  onOpen(): void;
  onNotification(notification: ControlNotification): void;
  /** Called once, unless `close` was called. `code` is 1006 when the connection was lost or could not be established. */
  onClose(code: number, reason: string): void;
}

/** A command that failed. `code` is one of the contract's `RPC_ERRORS`, or 0 when no response arrived. */
export class ControlError extends Error {
  readonly code: number;
  constructor(message: string, code = 0) {
    super(message);
    this.name = 'ControlError';
    this.code = code;
  }
}

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: ControlError): void;
  timer: ReturnType<typeof setTimeout>;
}

interface Incoming {
  id?: number | null;
  method?: string;
  result?: unknown;
  error?: { code: number; message: string };
}

/** One connection to a session's control socket: JSON-RPC 2.0. It does not reconnect. */
export class ControlSocket {
  readonly #socket: WebSocketLike;
  readonly #handlers: ControlHandlers;
  readonly #pending = new Map<number, PendingCall>();
  readonly #deadline: ReturnType<typeof setTimeout>;
  #lastId = 0;
  #failure = '';
  #done = false;

  constructor(url: string, handlers: ControlHandlers, webSocket: WebSocketClass = globalThis.WebSocket) {
    this.#handlers = handlers;
    this.#socket = new webSocket(url);
    this.#deadline = setTimeout(() => this.#giveUp('the service did not answer in time'), OPEN_TIMEOUT_MS);
    this.#socket.addEventListener('open', () => {
      clearTimeout(this.#deadline);
      if (!this.#done) handlers.onOpen();
    });
    this.#socket.addEventListener('message', (event) => this.#receive(event.data));
    // The package `ws` ends the process when an error has no listener. Each error is followed by a `close` event.
    this.#socket.addEventListener('error', (event) => {
      this.#failure = reasonOf(event);
    });
    this.#socket.addEventListener('close', ({ code, reason }) => this.#finish(code, reason || this.#failure));
  }

  /** @throws ControlError when the phone or the service rejects the command, or no response arrives */
  call<M extends ControlMethod>(method: M, params: ControlParams<M>): Promise<ControlResult<M>> {
    if (this.#pending.size >= MAX_PENDING_CALLS) {
      return Promise.reject(
        new ControlError(
          `${MAX_PENDING_CALLS} commands are already waiting for a response; wait for one first`,
        ),
      );
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<unknown>((resolve, reject) => {
      const timeoutMs = controlDeadlineMs('client', method, params);
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        const seconds = Math.round(timeoutMs / 1000);
        reject(new ControlError(`timed out after ${seconds} s: the service did not answer ${method}`));
      }, timeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
      if (this.#send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))) return;
      this.#pending.delete(id);
      clearTimeout(timer);
      reject(new ControlError('the control connection is not open; wait until the phone is ready again'));
    }) as Promise<ControlResult<M>>;
  }

  /**
   * Sends a command without requesting a response, for example one of many touch moves. Returns false when it cannot
   * be sent.
   */
  notify<M extends ControlMethod>(method: M, params: ControlParams<M>): boolean {
    return this.#send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Sends a scrcpy control message unchanged. Returns false when it cannot be sent. */
  inject(message: Uint8Array<ArrayBuffer>): boolean {
    return this.#send(message);
  }

  close(): void {
    this.#settle('the control connection was closed');
    this.#socket.close();
  }

  #send(message: string | Uint8Array<ArrayBuffer>): boolean {
    if (this.#done || this.#socket.readyState !== OPEN) return false;
    if (this.#socket.bufferedAmount > MAX_UNSENT_BYTES) {
      this.#giveUp('the connection is too slow for control messages');
      return false;
    }
    this.#socket.send(message);
    return true;
  }

  #giveUp(reason: string): void {
    this.#socket.close();
    this.#finish(1006, reason);
  }

  #receive(text: unknown): void {
    const message = parse(text);
    if (this.#done || !message) return;
    if (message.method !== undefined) {
      this.#handlers.onNotification(message as ControlNotification);
      return;
    }
    const call = typeof message.id === 'number' ? this.#pending.get(message.id) : undefined;
    if (!call) return;
    this.#pending.delete(message.id as number);
    clearTimeout(call.timer);
    if (message.error) call.reject(new ControlError(message.error.message, message.error.code));
    else call.resolve(message.result);
  }

  #finish(code: number, reason: string): void {
    if (this.#done) return;
    this.#settle(
      'the control connection was lost; check whether the command was executed before you repeat it',
    );
    this.#handlers.onClose(code, reason);
  }

  #settle(message: string): void {
    this.#done = true;
    clearTimeout(this.#deadline);
    for (const call of this.#pending.values()) {
      clearTimeout(call.timer);
      call.reject(new ControlError(message));
    }
    this.#pending.clear();
  }
}

function parse(text: unknown): Incoming | null {
  if (typeof text !== 'string') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Incoming) : null;
  } catch {
    return null;
  }
}
