import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { cutSlowBodies } from './slow-bodies.ts';

let server: Server;
let client: Socket;
let cut: string[];
let bodies: number[];
let received: number;

beforeEach(async () => {
  cut = [];
  bodies = [];
  received = 0;
  server = createServer((request, response) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      received += chunk.length;
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
  // Time passes only after a part has arrived, however slow the machine is.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6000\r\n\r\n');
  for (const arrived of [2_000, 4_000, 6_000]) {
    client.write(Buffer.alloc(2_000));
    while (received < arrived) await delay(1);
    // Almost all the time that each part allows. The first may have been read together with the headers, which allow
    // 400 ms.
    vi.advanceTimersByTime(arrived === 2_000 ? 300 : 1_900);
  }
  expect(cut).toEqual([]);
  expect(bodies).toEqual([6_000]);
});

test('does not time out requests without a body or idle connections', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await vi.waitFor(() => expect(bodies).toEqual([0]), { timeout: 60_000 });
  vi.advanceTimersByTime(60_000);
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nfour');
  await vi.waitFor(() => expect(bodies).toEqual([0, 4]), { timeout: 60_000 });
  expect(cut).toEqual([]);
});
