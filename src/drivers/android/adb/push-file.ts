import type { Socket } from 'node:net';
import { AdbError, readExactly } from './adb-socket.ts';
import { MAX_DATA_BYTES, readSyncMessage, syncHeader } from './sync-files.ts';

export type FileContent = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Writes a file on the phone over a socket of its `sync:` service, as fast as the phone accepts it. Source: AOSP
 * adb/SYNC.TXT.
 * @throws AdbError with the phone's message.
 */
export async function pushFile(
  socket: Socket,
  path: string,
  content: FileContent,
  mode = 0o644,
): Promise<void> {
  const target = Buffer.from(`${path},${0o100000 | mode}`);
  socket.write(syncHeader('SEND', target.length));
  socket.write(target);
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    for (let at = 0; at < chunk.length; at += MAX_DATA_BYTES) {
      const part = chunk.subarray(at, at + MAX_DATA_BYTES);
      socket.write(syncHeader('DATA', part.length));
      socket.write(part);
      // A phone that closes the socket has sent its reason or is gone. Both cases are detected when the answer is
      // read below.
      if (socket.writableNeedDrain) await drainedOrClosed(socket);
      if (socket.destroyed) break;
    }
    if (socket.destroyed) break;
  }
  socket.write(syncHeader('DONE', Math.floor(Date.now() / 1000)));
  const answer = await readExactly(socket, 8);
  if (answer.toString('latin1', 0, 4) === 'OKAY') return;
  throw new AdbError(`the phone rejected ${path}: ${await readSyncMessage(socket, answer.readUInt32LE(4))}`);
}

function drainedOrClosed(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    socket.off('drain', done).off('close', done);
    resolve();
  };
  socket.on('drain', done).on('close', done);
  return promise;
}
