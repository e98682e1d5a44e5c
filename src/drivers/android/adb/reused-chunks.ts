import type { Socket } from 'node:net';

/** The same size that Node allocates for each chunk. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Receives the bytes of a socket in one buffer. By default Node allocates memory outside the heap for each chunk, and
 * at the bit rate of video this memory decides how often V8 collects the whole heap
 * (docs/decisions/031-memory-of-the-relay.md).
 */
export class ReusedChunks {
  readonly buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #take: ((chunk: Buffer) => void) | null = null;

  /** Called by the socket, through its option `onread`. Returns false to stop reading. */
  receive(socket: Socket, length: number): boolean {
    const chunk = this.buffer.subarray(0, length);
    if (!this.#take) return socket.push(Buffer.from(chunk));
    this.#take(chunk);
    return true;
  }

  /**
   * Passes what the socket has buffered, and then each chunk as it arrives. A chunk is valid only until `take` returns,
   * so `take` must copy what it keeps. Until this is called, the socket is read like any other. Afterwards it must not
   * be paused or read.
   */
  deliver(socket: Socket, take: (chunk: Buffer) => void): void {
    for (let rest = socket.read(); rest !== null; rest = socket.read()) take(rest);
    this.#take = take;
    socket.resume();
  }
}
