import { WebSocket } from 'ws';
import { CLOSE, type CloseCode } from '../../contract/sockets/close-codes.ts';
import type { Link } from '../../link/link.ts';

/** When this many bytes wait for the host, reading from the client is paused. */
const HIGH_WATER_BYTES = 1024 * 1024;
/**
 * Maximum number of bytes that may wait for the client. adb's own flow control stays below this, so a client that
 * exceeds it is not reading at all.
 */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** The same for all tunnels of an account together. Beyond it, tunnels above their share are closed. */
const MAX_WAITING_BYTES_OF_ACCOUNT = 128 * 1024 * 1024;
/** Below this, a tunnel is not closed because of other tunnels of its account. */
const SHARE_BYTES = 1024 * 1024;

export interface TunnelCounters {
  toPhoneBytes: number;
  fromPhoneBytes: number;
}

/** One client's adb tunnel: forwards bytes unchanged between its socket and its host's link. */
export class AdbTunnel {
  private readonly socket: WebSocket;
  private readonly link: Link;
  private readonly counters: TunnelCounters;
  private readonly waitingOfAccount: () => number;

  /**
   * Takes ownership of socket and link.
   * @param waitingOfAccount the number of bytes that wait for all clients of the session's account
   */
  constructor(socket: WebSocket, link: Link, counters: TunnelCounters, waitingOfAccount: () => number) {
    this.socket = socket;
    this.link = link;
    this.counters = counters;
    this.waitingOfAccount = waitingOfAccount;
    socket.on('message', (data: Buffer, isBinary) => this.toPhone(data, isBinary));
    socket.once('close', () => link.close());
    link.onDrain(() => socket.resume());
    link.onMessage((message) => this.fromPhone(message));
    link.onClose(() => this.close(CLOSE.restart, 'the connection to the phone was lost; reconnect'));
  }

  /** The number of bytes that wait for the client. */
  get waitingBytes(): number {
    return this.socket.bufferedAmount;
  }

  /** If called more than once, only the first code and reason count. */
  close(code: CloseCode, reason: string): void {
    this.socket.resume();
    this.socket.close(code, reason);
    this.link.close();
  }

  private toPhone(data: Buffer, isBinary: boolean): void {
    if (!isBinary) {
      this.close(CLOSE.invalidData, 'adb data must be sent in binary messages; a text message was received');
      return;
    }
    this.counters.toPhoneBytes += data.length;
    this.link.send(data);
    if (this.link.bufferedBytes > HIGH_WATER_BYTES) this.socket.pause();
  }

  private fromPhone(message: string | Uint8Array): void {
    if (typeof message === 'string' || this.socket.readyState !== WebSocket.OPEN) return;
    this.counters.fromPhoneBytes += message.byteLength;
    this.socket.send(message);
    if (!this.isTooSlow()) return;
    // The client would not read a close frame either.
    this.close(CLOSE.tooSlow, 'this client is too slow to receive its data; reconnect over a faster network');
    this.socket.terminate();
  }

  private isTooSlow(): boolean {
    const { waitingBytes } = this;
    if (waitingBytes <= SHARE_BYTES) return false;
    return waitingBytes > MAX_WAITING_BYTES || this.waitingOfAccount() > MAX_WAITING_BYTES_OF_ACCOUNT;
  }
}
