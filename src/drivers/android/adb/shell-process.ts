import type { Socket } from 'node:net';

/** Shell protocol v2: an id, a little-endian length, the data. Source: AOSP adb/shell_protocol.h. */
const STDOUT = 1;
const STDERR = 2;
const EXIT = 3;
const HEADER_BYTES = 5;
/** MAX_PAYLOAD of AOSP adb.h: no daemon sends a larger packet. */
const MAX_PACKET_BYTES = 1024 * 1024;

export interface ShellListener {
  onOutput?(data: Buffer): void;
  onError?(data: Buffer): void;
}

/**
 * A command that runs on a phone. Killing it closes its socket, which makes the phone end the command. A malformed
 * packet has the same effect.
 */
export class ShellProcess {
  /** The exit code; null if the connection was lost before it arrived. Never rejects. */
  readonly exited: Promise<number | null>;
  readonly #socket: Socket;
  readonly #listener: ShellListener;
  #rest: Buffer = Buffer.alloc(0);
  #exitCode: number | null = null;

  /** `socket` carries the service `shell,v2,raw:…`. */
  constructor(socket: Socket, listener: ShellListener) {
    this.#socket = socket;
    this.#listener = listener;
    const { promise, resolve } = Promise.withResolvers<number | null>();
    this.exited = promise;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('close', () => resolve(this.#exitCode));
    socket.resume();
  }

  kill(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    let bytes = this.#rest.length ? Buffer.concat([this.#rest, chunk]) : chunk;
    while (bytes.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + bytes.readUInt32LE(1);
      if (end > HEADER_BYTES + MAX_PACKET_BYTES) {
        this.kill();
        return;
      }
      if (bytes.length < end) break;
      this.#packet(bytes[0]!, bytes.subarray(HEADER_BYTES, end));
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
  }

  #packet(id: number, data: Buffer): void {
    if (id === STDOUT) this.#listener.onOutput?.(data);
    else if (id === STDERR) this.#listener.onError?.(data);
    else if (id === EXIT) {
      this.#exitCode = data[0] ?? null;
      this.#socket.end();
    }
  }
}
