import type { Socket } from 'node:net';
import { AdbError, readExactly } from './adb-socket.ts';

/** Longest DATA of a transfer, SYNC_DATA_MAX. */
const MAX_DATA_BYTES = 64 * 1024;

/**
 * Writes a file on the phone over a socket of its `sync:` service. Meant for small files: all of it is in memory.
 * Source: AOSP adb/SYNC.TXT.
 * @throws AdbError with what the phone said.
 */
export async function pushFile(
  socket: Socket,
  path: string,
  content: Uint8Array,
  mode = 0o644,
): Promise<void> {
  const target = Buffer.from(`${path},${0o100000 | mode}`);
  socket.write(request('SEND', target.length));
  socket.write(target);
  for (let at = 0; at < content.length; at += MAX_DATA_BYTES) {
    const part = content.subarray(at, at + MAX_DATA_BYTES);
    socket.write(request('DATA', part.length));
    socket.write(part);
  }
  socket.write(request('DONE', Math.floor(Date.now() / 1000)));
  const answer = await readExactly(socket, 8);
  if (answer.toString('latin1', 0, 4) === 'OKAY') return;
  const message = await readExactly(socket, Math.min(answer.readUInt32LE(4), MAX_DATA_BYTES));
  throw new AdbError(`the phone did not take ${path}: ${message.toString('utf8')}`);
}

function request(id: string, word: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.write(id, 'latin1');
  bytes.writeUInt32LE(word, 4);
  return bytes;
}
