import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { FileResponse } from './responses.ts';
import { sendFile } from './send-file.ts';

test('a client that stops reading is disconnected, and its file is closed', async () => {
  const app = fastify();
  const chunk = Buffer.alloc(256 * 1024);
  const bytes = new Readable({
    read() {
      this.push(chunk);
    },
  });
  const size = 2 ** 40;
  app.get('/', (_request, reply) =>
    sendFile(reply, new FileResponse({ name: 'a', size, bytes }), { stallMs: 200 }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  try {
    client.pause();
    client.on('error', () => {});
    const closed = once(bytes, 'close', { signal: AbortSignal.timeout(60_000) });
    bytes.on('error', () => {});
    client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await closed;
    expect(bytes.destroyed).toBe(true);
  } finally {
    client.destroy();
    await app.close();
  }
});
