import type { WebSocket } from 'ws';
import { type Closed, openSocket, type SocketOptions } from './socket.ts';
import { unchanged, until } from './wait.ts';

/** One message of a stream in layout scrcpy.v4, parsed as documented: big-endian, with a 12-byte header. */
export type Packet =
  | { type: 'session'; width: number; height: number }
  | { type: 'config' | 'keyframe' | 'delta'; pts: bigint; data: Buffer };

/**
 * Parses one packet.
 * @throws Error if the bytes are not exactly one packet
 */
export function readPacket(bytes: Buffer): Packet {
  const flags = bytes.readUInt32BE(0);
  if (flags & 0x80000000) {
    if (bytes.length !== 12) throw new Error(`a session packet of ${bytes.length} bytes`);
    return { type: 'session', width: bytes.readUInt32BE(4), height: bytes.readUInt32BE(8) };
  }
  const type = flags & 0x40000000 ? 'config' : flags & 0x20000000 ? 'keyframe' : 'delta';
  const pts = bytes.readBigUInt64BE(0) & 0x1fffffffffffffffn;
  const data = bytes.subarray(12);
  if (bytes.readUInt32BE(8) !== data.length) throw new Error(`a packet with a wrong length`);
  return { type, pts, data };
}

/** A client that watches a stream and keeps all messages. */
export class Viewer implements AsyncDisposable {
  /** Every received message, starting with the preamble. */
  readonly messages: Buffer[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<Closed>;

  private constructor(socket: WebSocket, closed: Promise<Closed>, messages: Buffer[]) {
    this.socket = socket;
    this.closed = closed;
    this.messages = messages;
  }

  static async open(url: string, options: SocketOptions): Promise<Viewer> {
    const messages: Buffer[] = [];
    const { socket, closed } = await openSocket(url, options, (data, isBinary) => {
      if (!isBinary) throw new Error('a text message arrived on a stream socket');
      messages.push(data);
    });
    return new Viewer(socket, closed, messages);
  }

  /** The packets after the preamble, in layout v4. */
  get packets(): Packet[] {
    return this.messages.slice(1).map(readPacket);
  }

  /** The size in the newest session packet. */
  get size(): { width: number; height: number } {
    const last = this.packets.findLast((packet) => packet.type === 'session');
    if (last?.type !== 'session') throw new Error('no session packet has arrived');
    return { width: last.width, height: last.height };
  }

  /** Waits for a keyframe, the first packet that can be displayed. */
  firstFrame(): Promise<true> {
    return until('a frame', () => this.packets.some(({ type }) => type === 'keyframe') || null);
  }

  /** Waits for video packets after the first `count` messages. */
  movedSince(count: number): Promise<true> {
    return until(
      'a changed frame',
      () =>
        this.messages.slice(count).some((bytes) => ['keyframe', 'delta'].includes(readPacket(bytes).type)) ||
        null,
    );
  }

  /**
   * Waits until no message has arrived for `quietMs`, which means that the screen is still.
   * @returns the number of messages received so far
   */
  still(quietMs = 600): Promise<number> {
    return unchanged('the screen to stop changing', () => this.messages.length, { forMs: quietMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }
}
