import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { cutStalledResponses } from './stalled-responses.ts';

/** More than the socket buffers of both ends hold. */
const LARGE = 32 * 1024 * 1024;
const TIMEOUT_MS = 400;

let server: Server;
let client: Socket;
let respond: (response: ServerResponse) => void;
let closed: ServerResponse[];

beforeEach(async () => {
  const closedHere: ServerResponse[] = [];
  closed = closedHere;
  server = createServer((_request, response) => {
    response.once('close', () => closedHere.push(response));
    respond(response);
  });
  cutStalledResponses(server, { timeoutMs: TIMEOUT_MS, bytesPerSecond: LARGE * 100, checkMs: 10 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.pause();
});

afterEach(async () => {
  client.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** Sends a request that the server answers with `answer`. The client reads nothing. */
function request(answer: (response: ServerResponse) => void): void {
  respond = answer;
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
}

const isClosed = () => vi.waitFor(() => expect(closed).toHaveLength(1), { timeout: 60_000 });

test('cuts a response that its client does not read', async () => {
  request((response) => response.end(Buffer.alloc(LARGE)));
  await isClosed();
});

test('cuts an event stream that its client does not read, although events are added', async () => {
  request((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(Buffer.alloc(LARGE));
    const events = setInterval(() => response.write(': event\n\n'), 20);
    response.once('close', () => clearInterval(events));
  });
  await isClosed();
});

test('does not count requests of a client that reads no responses as progress', async () => {
  request((response) => response.end(Buffer.alloc(LARGE)));
  const requests = setInterval(() => client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), 20);
  onTestFinished(() => clearInterval(requests));
  await vi.waitFor(() => expect(closed).not.toEqual([]), { timeout: 60_000 });
});

test('keeps a response that is read slowly', async () => {
  let received = 0;
  client.on('data', (chunk) => {
    received += chunk.length;
    client.pause();
  });
  client.pause();
  const reads = setInterval(() => client.resume(), 5);
  const size = LARGE / 2;
  request((response) => {
    const write = (at: number) => {
      if (at >= size) response.end();
      else response.write(Buffer.alloc(64 * 1024), () => write(at + 64 * 1024));
    };
    write(0);
  });
  await vi.waitFor(() => expect(received).toBeGreaterThan(size), { timeout: 60_000 });
  clearInterval(reads);
});

test('keeps a response that has nothing to send', async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  request((response) => {
    response.write('begun');
    begun.resolve(response);
  });
  client.resume();
  const response = await begun.promise;
  await delay(3 * TIMEOUT_MS);
  expect(closed).toEqual([]);
  response.end();
  await isClosed();
});
