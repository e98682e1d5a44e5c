import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openAdbSocket, readExactly } from './adb-socket.ts';
import { ReusedChunks } from './reused-chunks.ts';

/** A socket for a service of an adb server that answers OKAY, its chunks, and the server's end of it. */
async function connected(): Promise<{ socket: Socket; chunks: ReusedChunks; server: Socket }> {
  const listener = createServer((connection) => void connection.once('data', () => connection.write('OKAY')));
  onTestFinished(() => void listener.close());
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const arrived = once(listener, 'connection') as Promise<[Socket]>;
  const address = { host: '127.0.0.1', port: (listener.address() as AddressInfo).port };
  const chunks = new ReusedChunks();
  const socket = await openAdbSocket(address, ['host:version'], AbortSignal.timeout(60_000), { chunks });
  const [server] = await arrived;
  onTestFinished(() => {
    socket.destroy();
    server.destroy();
  });
  return { socket, chunks, server };
}

test('delivers the bytes after those that were read, in order and in one buffer', async () => {
  const { socket, chunks, server } = await connected();
  const sent = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 31 + (at >> 8)) % 251));
  server.write(sent.subarray(0, 1_000_000));
  expect(await readExactly(socket, 100_000)).toEqual(sent.subarray(0, 100_000));
  const received: Buffer[] = [];
  const memory = new Set<ArrayBufferLike>();
  let length = 100_000;
  const waiting = socket.readableLength;
  chunks.deliver(socket, (chunk) => {
    if (length >= 100_000 + waiting) memory.add(chunk.buffer);
    length += chunk.length;
    received.push(Buffer.from(chunk));
  });
  server.end(sent.subarray(1_000_000));
  await once(socket, 'close');
  expect(Buffer.concat(received).equals(sent.subarray(100_000))).toBe(true);
  expect([...memory]).toEqual([chunks.buffer.buffer]);
});

test('keeps what arrived before it was read', async () => {
  const { socket, server } = await connected();
  const first = readExactly(socket, 1);
  server.write('abc');
  expect(String(await first)).toBe('a');
  server.write('def');
  await vi.waitFor(() => expect(socket.bytesRead).toBe('OKAYabcdef'.length), {
    interval: 2,
    timeout: 60_000,
  });
  expect(String(await readExactly(socket, 5))).toBe('bcdef');
});
