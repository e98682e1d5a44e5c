import { addAbortListener } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ReusedChunks } from './reused-chunks.ts';

export interface AdbServerAddress {
  host: string;
  port: number;
}

/** The adb server, or the phone behind it, rejected or failed a request. The message is the one that it sent. */
export class AdbError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AdbError';
  }
}

/** Requests and error messages are short. A larger length means that the peer is not an adb server. */
const MAX_TEXT_BYTES = 1024 * 1024;

export interface AdbSocketOptions {
  /** Number of bytes that the socket buffers before they are read, where Node's default of 64 KiB is too small. */
  readAhead?: number | undefined;
  /** Receives the bytes of the socket. By default Node allocates a buffer for each chunk. */
  chunks?: ReusedChunks | undefined;
}

/**
 * Requests services from an adb server, one after the other, on a new connection: `host:transport-id:7`, then a
 * service of that phone. The returned socket carries the last service's data. It is paused, its errors end in
 * `close`, and until it is returned, aborting the signal destroys it. Source: AOSP adb/SERVICES.TXT and OVERVIEW.TXT
 * ("the protocol": four hex digits of length, then OKAY or FAIL).
 * @throws AdbError, or the signal's reason.
 */
export async function openAdbSocket(
  address: AdbServerAddress,
  services: string[],
  signal: AbortSignal,
  { readAhead, chunks }: AdbSocketOptions = {},
): Promise<Socket> {
  signal.throwIfAborted();
  const { port, host } = address;
  const socket: Socket = connect({
    port,
    host,
    ...(readAhead !== undefined && { readableHighWaterMark: readAhead }),
    ...(chunks && {
      onread: { buffer: chunks.buffer, callback: (length: number) => chunks.receive(socket, length) },
    }),
  });
  socket.setNoDelay(true);
  socket.pause();
  let failure: Error | null = null;
  socket.on('error', (error) => {
    failure = error;
  });
  using _aborting = addAbortListener(signal, () => socket.destroy());
  try {
    for (const service of services) {
      const request = Buffer.from(service);
      socket.write(`${request.length.toString(16).padStart(4, '0')}${service}`);
      await readOkay(socket);
    }
    return socket;
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    if (failure) throw new AdbError(`the adb server cannot be reached: ${(failure as Error).message}`);
    throw error;
  }
}

async function readOkay(socket: Socket): Promise<void> {
  const status = (await readExactly(socket, 4)).toString('latin1');
  if (status === 'OKAY') return;
  if (status !== 'FAIL')
    throw new AdbError(
      `the server answered ${JSON.stringify(status)}, so it is not an adb server; check PHONEBOOTH_ADB`,
    );
  throw new AdbError((await readText(socket)).trim());
}

/** Reads a service's answer and then destroys its socket. Aborting the signal destroys it sooner. */
export async function readAndClose<T>(
  socket: Socket,
  read: (socket: Socket) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (signal.aborted) socket.destroy();
  using _aborting = addAbortListener(signal, () => socket.destroy());
  try {
    return await read(socket);
  } finally {
    socket.destroy();
  }
}

/** Reads a text that is preceded by its length in four hex digits. */
export async function readText(socket: Socket): Promise<string> {
  const length = Number.parseInt((await readExactly(socket, 4)).toString('latin1'), 16);
  if (!(length <= MAX_TEXT_BYTES)) throw new AdbError('the adb server sent an invalid length');
  return (await readExactly(socket, length)).toString('utf8');
}

/**
 * Reads exactly `length` bytes from a paused socket and leaves the rest in it.
 * @throws AdbError when the socket closes before.
 */
export async function readExactly(socket: Socket, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let missing = length;
  while (missing > 0) {
    // Reads what is available. A socket with buffered bytes is `readable` at once, so waiting for more would loop
    // forever.
    const part = socket.read(Math.min(missing, socket.readableLength)) as Buffer | null;
    if (part) {
      parts.push(part);
      missing -= part.length;
    } else if (socket.destroyed || socket.readableEnded)
      throw new AdbError('the adb server closed the connection');
    else await readableOrClosed(socket);
  }
  return Buffer.concat(parts);
}

function readableOrClosed(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    socket.off('readable', done).off('close', done).off('end', done);
    resolve();
  };
  socket.on('readable', done).on('close', done).on('end', done);
  return promise;
}
