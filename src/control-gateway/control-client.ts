import { WebSocket } from 'ws';
import { CLOSE, type CloseCode } from '../contract/sockets/close-codes.ts';
import type { Controller, ControlNotification } from '../contract/sockets/control-notifications.ts';
import { parseScrcpyControl } from '../contract/sockets/scrcpy-control.ts';
import { TokenBucket } from '../util/token-bucket.ts';
import type { SocketActor } from './audit-event.ts';
import {
  encodeNotification,
  errorOf,
  parseRpc,
  type RpcCall,
  RpcError,
  type RpcResponse,
  resultOf,
  toRpcError,
} from './json-rpc.ts';

/**
 * Consecutive messages that are neither JSON-RPC nor control messages, after which the socket is closed with 1007.
 */
export const MAX_MALFORMED = 20;
/**
 * Maximum number of bytes that may wait for a client: a few screenshots. A client that exceeds it is closed with
 * 4008.
 */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

export const TAKEN_OVER = 'another client took control of the phone; reconnect to take it back';

export interface ControlClientHandlers {
  /**
   * Performs one call. It runs without yielding until the command is sent to the phone, so that commands keep their
   * order.
   */
  perform(client: ControlClient, method: string, params: unknown): Promise<unknown>;
  /**
   * Forwards one valid scrcpy control message: at once, or, if it returns a promise, when the phone is ready.
   * @throws RpcError
   */
  inject(client: ControlClient, message: Uint8Array): Promise<void> | undefined;
  onInternalError(error: unknown): void;
}

export interface ControlActor extends SocketActor {
  /** The key of the client, if it is known. */
  controller: Controller | undefined;
}

/** One client's control socket: JSON-RPC 2.0 as text, scrcpy's control messages as binary. */
export class ControlClient {
  readonly socket: WebSocket;
  readonly actor: ControlActor;
  private readonly handlers: ControlClientHandlers;
  private readonly perSecond: number;
  private readonly bucket: TokenBucket;
  /** Consecutive invalid messages. */
  private malformed = 0;

  constructor(
    socket: WebSocket,
    rate: { perSecond: number; burst: number },
    actor: ControlActor,
    handlers: ControlClientHandlers,
  ) {
    this.socket = socket;
    this.handlers = handlers;
    this.actor = actor;
    this.perSecond = rate.perSecond;
    this.bucket = new TokenBucket(rate);
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.handleBinary(data);
      else void this.handleText(data.toString());
    });
  }

  notify(notification: ControlNotification): void {
    this.send(encodeNotification(notification));
  }

  /** Closes the socket because the client of the key `by` took control. */
  closeTakenOver(by: Controller | undefined): void {
    const same_key = by !== undefined && by.id === this.actor.controller?.id;
    this.notify({ method: 'session.taken_over', params: by ? { by, same_key } : { same_key } });
    this.close(CLOSE.takenOver, TAKEN_OVER);
  }

  close(code: CloseCode, reason: string): void {
    this.socket.close(code, reason);
  }

  private handleBinary(message: Uint8Array): void {
    try {
      this.limitRate();
      this.check(message);
      const held = this.handlers.inject(this, message);
      held?.catch((error: unknown) => this.answer(errorOf(null, this.asRpcError(error))));
    } catch (error) {
      this.answer(errorOf(null, this.asRpcError(error)));
    }
  }

  private check(message: Uint8Array): void {
    try {
      parseScrcpyControl(message);
      this.malformed = 0;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.countMalformed();
      throw new RpcError('invalidParams', error.message);
    }
  }

  private async handleText(text: string): Promise<void> {
    let message: ReturnType<typeof parseRpc>;
    try {
      message = parseRpc(text);
      this.malformed = 0;
    } catch (error) {
      this.countMalformed();
      this.answer(errorOf(null, this.asRpcError(error)));
      return;
    }
    const answers = await Promise.all(message.calls.map((call) => this.respond(call)));
    const responses = answers.filter((answer) => answer !== null);
    if (responses.length > 0) this.answer(message.isBatch ? responses : responses[0]!);
  }

  private async respond(call: RpcCall | RpcError): Promise<RpcResponse | null> {
    if (call instanceof RpcError) return errorOf(null, call);
    const { id, method, params } = call;
    try {
      this.limitRate();
      const result = await this.handlers.perform(this, method, params);
      return id === undefined ? null : resultOf(id, result);
    } catch (error) {
      const answer = this.asRpcError(error);
      return id === undefined ? null : errorOf(id, answer);
    }
  }

  private limitRate(): void {
    if (!this.bucket.take())
      throw new RpcError('tooFast', `too many messages; send at most ${this.perSecond} a second`);
  }

  private countMalformed(): void {
    this.malformed += 1;
    if (this.malformed < MAX_MALFORMED) return;
    this.close(
      CLOSE.invalidData,
      `${MAX_MALFORMED} consecutive messages were malformed; the error responses say why`,
    );
  }

  private asRpcError(error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    this.handlers.onInternalError(error);
    return toRpcError(error);
  }

  private answer(response: RpcResponse | RpcResponse[]): void {
    this.send(JSON.stringify(response));
  }

  private send(text: string): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (this.socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      this.close(
        CLOSE.tooSlow,
        'this client is too slow to receive its data; reconnect over a faster network',
      );
      return;
    }
    this.socket.send(text);
  }
}
