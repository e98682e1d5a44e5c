import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openAdbSocket, readExactly, readText } from './adb-socket.ts';

/** A socket for a service of an adb server that answers OKAY, and the server's end of it. */
async function connected(): Promise<{ socket: Socket; server: Socket }> {
  const listener = createServer((connection) => void connection.once('data', () => connection.write('OKAY')));
  onTestFinished(() => void listener.close());
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const arrived = once(listener, 'connection') as Promise<[Socket]>;
  const address = { host: '127.0.0.1', port: (listener.address() as AddressInfo).port };
  const socket = await openAdbSocket(address, ['host:version'], AbortSignal.timeout(60_000));
  const [server] = await arrived;
  server.setNoDelay(true);
  onTestFinished(() => {
    socket.destroy();
    server.destroy();
  });
  return { socket, server };
}

/** Sends each part after the previous one has arrived. */
async function arrive(
  { socket, server }: { socket: Socket; server: Socket },
  parts: string[],
): Promise<void> {
  for (const part of parts) {
    const { bytesRead } = socket;
    server.write(part);
    await vi.waitFor(() => expect(socket.bytesRead).toBe(bytesRead + part.length), {
      interval: 2,
      timeout: 60_000,
    });
  }
}

test('assembles bytes that arrive in parts and keeps the remainder', async () => {
  const { socket, server } = await connected();
  const four = readExactly(socket, 4);
  // If waiting blocked the event loop, the second part would never be read, and no timer would fire.
  await arrive({ socket, server }, ['a', 'b', 'cde']);
  expect(String(await four)).toBe('abcd');
  expect(String(await readExactly(socket, 1))).toBe('e');
});

test('reads a text however its length and its bytes are split', async () => {
  const { socket, server } = await connected();
  const text = readText(socket);
  await arrive({ socket, server }, ['00', '05he', 'llo']);
  expect(await text).toBe('hello');
});

test('fails if the connection closes before the message is complete', async () => {
  const { socket, server } = await connected();
  const four = readExactly(socket, 4);
  server.end('ab');
  await expect(four).rejects.toThrow('the adb server closed the connection');
});
