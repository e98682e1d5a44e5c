import type { Duplex } from 'node:stream';
import { MAX_PAYLOAD } from './adb-message.ts';

/** What a stream sends over the connection that it is part of. */
export interface StreamSender {
  readonly maxPayload: number;
  sendOkay(stream: AdbStream): void;
  sendWrite(stream: AdbStream, payload: Buffer): void;
  sendClose(stream: AdbStream): void;
  /** The stream is over and all it held is let go. */
  onGone(stream: AdbStream): void;
}

/** What may wait for the phone while the next is already on its way: one WRTE, so that no round trip is idle. */
const AHEAD_BYTES = MAX_PAYLOAD;
/** How long the phone's end may take to take in what was written before its stream was closed. */
const FLUSH_MS = 5_000;

/**
 * One stream of a connection, with the phone's end of it. One WRTE is under way each way, as protocol.txt demands:
 * the next is asked for when the phone is about to take the last, and sent when the other end has said that it took the last.
 */
export class AdbStream {
  readonly localId: number;
  /** The other end's number; 0 while it has not answered an OPEN of ours. */
  remoteId: number;
  readonly #sender: StreamSender;
  #phone: Duplex | null = null;
  /** The last WRTE has not been answered with OKAY. */
  #owesOkay = false;
  /** The other end has not taken the last WRTE. */
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

  /** The phone's end is there. What it says waits until both ends are. */
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

  /** False when the other end did not wait for its last WRTE to be taken. */
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

  /** The other end has taken the last WRTE. */
  acknowledged(): void {
    this.#sending = false;
    this.pump();
  }

  pump(): void {
    if (!this.isOpen || this.#sending) return;
    // Reading nothing at the end of the phone's words is what makes the end known.
    const waiting = Math.min(this.#phone!.readableLength, this.#sender.maxPayload);
    const payload = this.#phone!.read(waiting) as Buffer | null;
    if (!payload?.length) return;
    this.#sending = true;
    this.#sender.sendWrite(this, payload);
  }

  /** Closes both ends; what the other end has written still reaches the phone. */
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
    // Unread bytes would have the connection reset, and what was written lost with it.
    phone
      .removeAllListeners('readable')
      .on('data', () => {})
      .resume();
    this.#flushing = setTimeout(() => phone.destroy(), FLUSH_MS);
  }

  /** Lets go of everything at once. */
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
