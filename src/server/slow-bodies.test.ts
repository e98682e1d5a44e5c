import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cutSlowBodies } from './slow-bodies.ts';

let server: Server;
let client: Socket;
let cut: string[];
let bodies: number[];

beforeEach(async () => {
  cut = [];
  bodies = [];
  server = createServer((request, response) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    request.on('error', () => {});
    request.on('end', () => {
      bodies.push(size);
      response.end();
    });
  });
  cutSlowBodies(server, { timeoutMs: 400, bytesPerSecond: 1_000, checkMs: 10 });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    cut.push(String(error.code));
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
});

afterEach(async () => {
  client.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** When data was still on its way to the server, the client gets a connection reset first, which is expected. */
const closed = () => new Promise((resolve) => client.once('close', resolve));

test('times out a body that does not arrive', async () => {
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
  await closed();
  expect(cut).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
});

test('times out a body that trickles in, including a chunked one', async () => {
  client.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  const trickle = setInterval(() => client.write('1\r\na\r\n'), 10);
  await closed();
  clearInterval(trickle);
  expect(cut).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
});

test('accepts a long body as long as data keeps arriving', async () => {
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n');
  for (let part = 0; part < 50; part++) {
    client.write(Buffer.alloc(2_000));
    await delay(12);
  }
  await vi.waitFor(() => expect(bodies).toEqual([100_000]), { timeout: 60_000 });
  expect(cut).toEqual([]);
});

test('does not time out requests without a body or idle connections', async () => {
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await vi.waitFor(() => expect(bodies).toEqual([0]), { timeout: 60_000 });
  await delay(600);
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nfour');
  await vi.waitFor(() => expect(bodies).toEqual([0, 4]), { timeout: 60_000 });
  expect(cut).toEqual([]);
});
