import { packetType } from '../../src/contract/sockets/stream-packets.ts';

/**
 * Returns the lengths of the frame header around a message and of the message itself, or null if too few of its first
 * bytes are known.
 */
export type Framing = (head: Buffer, known: number) => { frame: number; message: number } | null;

/** Consecutive packets without frames, as a plain connection carries them. */
export const packetFraming: Framing = (head, known) => {
  if (known < 12) return null;
  return { frame: 0, message: packetType(head) === 'session' ? 12 : 12 + head.readUInt32BE(8) };
};

/** WebSocket frames from a server: never masked, and never fragmented in this bench (RFC 6455, section 5.2). */
export const webSocketFraming: Framing = (head, known) => {
  if (known < 2) return null;
  const length = head[1]! & 0x7f;
  if (length < 126) return { frame: 2, message: length };
  if (length === 126) return known < 4 ? null : { frame: 4, message: head.readUInt16BE(2) };
  return known < 10 ? null : { frame: 10, message: Number(head.readBigUInt64BE(2)) };
};

const HEAD_BYTES = 48;

/**
 * Finds the message boundaries in a byte stream and keeps only the first bytes of each message. This is the cheapest
 * way to detect that a message has arrived completely. The bench does not measure the receiver's cost, which is the
 * same for every framing.
 */
export class MessageScanner {
  private readonly framing: Framing;
  private readonly onMessage: (head: Buffer, length: number) => void;
  private readonly head = Buffer.alloc(HEAD_BYTES);
  private known = 0;
  private sizes: { frame: number; message: number } | null = null;
  private taken = 0;

  /**
   * Calls `onMessage` with the first bytes of each message, which are valid only until it returns, and with its
   * length.
   */
  constructor(framing: Framing, onMessage: (head: Buffer, length: number) => void) {
    this.framing = framing;
    this.onMessage = onMessage;
  }

  take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      this.sizes ??= this.framing(this.head, this.known);
      const rest = this.sizes ? this.sizes.frame + this.sizes.message - this.taken : 1;
      const step = Math.min(rest, chunk.length - at);
      if (this.known < HEAD_BYTES) this.known += chunk.copy(this.head, this.known, at, at + step);
      this.taken += step;
      at += step;
      this.sizes ??= this.framing(this.head, this.known);
      if (this.sizes && this.taken === this.sizes.frame + this.sizes.message) this.finish(this.sizes);
    }
  }

  private finish({ frame, message }: { frame: number; message: number }): void {
    this.onMessage(this.head.subarray(frame, this.known), message);
    this.known = 0;
    this.taken = 0;
    this.sizes = null;
  }
}
