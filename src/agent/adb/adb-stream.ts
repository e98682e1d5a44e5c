import type { Duplex } from 'node:stream';
import { MAX_PAYLOAD } from './adb-message.ts';

/** How a stream sends messages over its connection. */
export interface StreamSender {
  readonly maxPayload: number;
  sendOkay(stream: AdbStream): void;
  sendWrite(stream: AdbStream, payload: Buffer): void;
  sendClose(stream: AdbStream): void;
  /** Called when the stream is closed and its resources are released. */
  onGone(stream: AdbStream): void;
}

/**
 * Bytes that may wait for the phone before the next WRTE is acknowledged. One payload of lookahead keeps the phone
 * busy during the round trip.
 */
const AHEAD_BYTES = MAX_PAYLOAD;
/** After the stream is closed, how long the phone's end may take to consume what was written before. */
const FLUSH_MS = 5_000;

/**
 * One stream of a connection, joined to the phone's end of it. As protocol.txt demands, at most one WRTE is
 * unacknowledged in each direction: an incoming one is acknowledged when the phone has almost consumed it, and the
 * next outgoing one is sent when the other end has acknowledged the last.
 */
export class AdbStream {
  readonly localId: number;
  /** The other end's stream id. 0 until it has answered an OPEN that this end sent. */
  remoteId: number;
  readonly #sender: StreamSender;
  #phone: Duplex | null = null;
  /** The last received WRTE has not been answered with OKAY. */
  #owesOkay = false;
  /** The other end has not acknowledged the last sent WRTE. */
  #sending = false;
  #closed = false;
  #flushing: NodeJS.Timeout | undefined;

  constructor(sender: StreamSender, localId: number, remoteId: number) {
    this.#sender = sender;
    this.localId = localId;
    this.remoteId = remoteId;
  }

  get isOpen(): boolean {
    return this.#phone !== null && this.remoteId !== 0 && !this.#closed;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Attaches the phone's end. Its data waits until both ends are open. */
  join(phone: Duplex): void {
    if (this.#closed) {
      phone.destroy();
      return;
    }
    this.#phone = phone;
    phone.on('error', () => {});
    phone.once('close', () => this.#phoneClosed());
    phone.on('end', () => this.close());
    phone.on('readable', () => this.pump());
  }

  /** Returns false if the other end violated flow control by sending before its last WRTE was acknowledged. */
  write(payload: Buffer): boolean {
    if (!this.#phone || this.#closed) return true;
    if (this.#owesOkay) return false;
    this.#owesOkay = true;
    this.#phone.write(payload, (error) => !error && this.#okay());
    if (this.#phone.writableLength <= AHEAD_BYTES) this.#okay();
    return true;
  }

  #okay(): void {
    if (!this.#owesOkay || this.#closed || this.#phone!.writableLength > AHEAD_BYTES) return;
    this.#owesOkay = false;
    this.#sender.sendOkay(this);
  }

  /** The other end has acknowledged the last WRTE. */
  acknowledged(): void {
    this.#sending = false;
    this.pump();
  }

  pump(): void {
    if (!this.isOpen || this.#sending) return;
    // At the end of the phone's data, a read of zero bytes makes the stream emit `end`.
    const waiting = Math.min(this.#phone!.readableLength, this.#sender.maxPayload);
    const payload = this.#phone!.read(waiting) as Buffer | null;
    if (!payload?.length) return;
    this.#sending = true;
    this.#sender.sendWrite(this, payload);
  }

  /** Closes both ends. Data that the other end has already written still reaches the phone. */
  close(): void {
    if (this.#closed) return;
    this.#sender.sendClose(this);
    this.closedByPeer();
  }

  closedByPeer(): void {
    if (this.#closed) return;
    this.#closed = true;
    const phone = this.#phone;
    if (!phone || phone.destroyed) {
      this.#sender.onGone(this);
      return;
    }
    phone.end();
    // Closing with unread bytes would reset the connection and lose the data that was written.
    phone
      .removeAllListeners('readable')
      .on('data', () => {})
      .resume();
    this.#flushing = setTimeout(() => phone.destroy(), FLUSH_MS);
  }

  /** Releases everything at once. */
  destroy(): void {
    const wasThere = this.#phone && !this.#phone.destroyed;
    const wasClosed = this.#closed;
    this.#closed = true;
    this.#phone?.destroy();
    if (!wasThere && !wasClosed) this.#sender.onGone(this);
  }

  #phoneClosed(): void {
    clearTimeout(this.#flushing);
    if (!this.#closed) {
      this.#closed = true;
      this.#sender.sendClose(this);
    }
    this.#sender.onGone(this);
  }
}
