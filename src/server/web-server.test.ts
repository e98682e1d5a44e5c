import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { PendingConnections } from '../util/pending-connections.ts';
import { issueAuthority } from './issue-certificates.ts';
import { explain, WebServer, type WebServerOptions, writeResponse } from './web-server.ts';

const within = { timeout: 60_000, interval: 20 };
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const LIMITS = { total: 30, perAddress: 10, deadlineMs: 60_000, graceMs: 0 };

function serve(pending: PendingConnections, options: Partial<WebServerOptions> = {}): Promise<WebServer> {
  const handlers: WebServerOptions['handlers'] = {
    request: (_request, response) => void response.end('hello'),
    upgrade: (_request, socket) => void socket.destroy(),
  };
  return WebServer.listen({ host: '127.0.0.1', port: 0, handlers, pending, ...options });
}

async function open(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket.resume();
}

async function get(port: number, localAddress: string): Promise<string> {
  const socket = await open(port, localAddress);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

test('idle connections of one address block neither other addresses nor new connections from that address', async () => {
  const pending = new PendingConnections(LIMITS);
  await using server = await serve(pending);
  const idle: Socket[] = [];
  for (let n = 0; n < 40; n++) idle.push(await open(server.port, '127.0.0.2'));
  await vi.waitFor(() => expect(idle.filter(({ closed }) => closed)).toHaveLength(30), within);
  expect(await get(server.port, '127.0.0.1')).toContain('hello');
  expect(await get(server.port, '127.0.0.2')).toContain('hello');
  expect(pending.closed).toBe(31);
});

test('idle connections of many addresses block no client: the address with the most connections loses its oldest', async () => {
  const pending = new PendingConnections(LIMITS);
  await using server = await serve(pending);
  const idle = new Map<string, Socket[]>();
  for (const [address, count] of [
    ['127.0.0.2', 10],
    ['127.0.0.3', 10],
    ['127.0.0.4', 9],
    ['127.0.0.5', 1],
  ] as const) {
    const own: Socket[] = [];
    for (let n = 0; n < count; n++) own.push(await open(server.port, address));
    idle.set(address, own);
  }
  await vi.waitFor(() => expect(pending.size).toBe(30), within);
  expect(await get(server.port, '127.0.0.6')).toContain('hello');
  await vi.waitFor(() => expect(idle.get('127.0.0.2')![0]!.closed).toBe(true), within);
  expect(idle.get('127.0.0.5')![0]!.closed).toBe(false);
});

test('evicts a connection older than the grace period in favor of a new one of its address, but not a younger one', async () => {
  const pending = new PendingConnections({ ...LIMITS, perAddress: 1, graceMs: 60_000 });
  await using server = await serve(pending);
  const first = await open(server.port, '127.0.0.2');
  const second = await open(server.port, '127.0.0.2');
  await vi.waitFor(() => expect(second.closed).toBe(true), within);
  expect(first.closed).toBe(false);
});

test('exempts shared addresses from the limit per address', async () => {
  const pending = new PendingConnections(LIMITS, (address) => address === '127.0.0.2');
  await using server = await serve(pending);
  for (let n = 0; n < 20; n++) await open(server.port, '127.0.0.2');
  await vi.waitFor(() => expect(pending.size).toBe(20), within);
  expect(pending.closed).toBe(0);
});

test('closes a connection whose headers trickle in past the deadline, and does not count a kept-alive connection as pending', async () => {
  // Time passes only after the first connection has made its request.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const pending = new PendingConnections({ ...LIMITS, deadlineMs: 300 });
  await using server = await serve(pending);
  const kept = await open(server.port, '127.0.0.1');
  kept.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(kept, 'data');
  const slow = await open(server.port, '127.0.0.1');
  slow.write('GET / HTTP/1.1\r\n');
  const trickle = setInterval(() => slow.write('x-a: b\r\n'), 20);
  await vi.waitFor(() => expect(slow.closed).toBe(true), within);
  clearInterval(trickle);
  expect(kept.closed).toBe(false);
});

test.each(['no handshake', 'no request'])(
  'closes a TLS connection with %s after the deadline',
  async (what) => {
    const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
    const { certificate, key } = await issueAuthority('test', validity);
    const tls = {
      cert: certificate.toString(),
      key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await using server = await serve(new PendingConnections({ ...LIMITS, deadlineMs: 300 }), { tls });
    let socket = await open(server.port, '127.0.0.1');
    if (what === 'no request') {
      socket = connectTls({ socket, rejectUnauthorized: false }).on('error', () => {});
      await once(socket, 'secureConnect');
    }
    await vi.waitFor(() => expect(socket.destroyed).toBe(true), within);
  },
);

test('ignores a request that follows the body of one whose response announced the end of the connection', async () => {
  const accepted: IncomingMessage[] = [];
  const request: WebServerOptions['handlers']['request'] = (message, response) => {
    accepted.push(message);
    response.writeHead(413, { connection: 'close' }).end('too large');
  };
  const handlers = { request, upgrade: () => {} };
  await using server = await serve(new PendingConnections(LIMITS), { handlers });
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  sockets.push(socket);
  socket.write('POST /first HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbo');
  for await (const _ of socket.iterator({ destroyOnReturn: false })) break;
  socket.write('dyPOST /second HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  await vi.waitFor(() => expect(accepted[0]!.socket.closed).toBe(true), within);
  expect(accepted.map(({ url }) => url)).toEqual(['/first']);
});

test('explains why a port cannot be bound, and names the setting', async () => {
  const handlers = { request: () => {}, upgrade: () => {} };
  await using first = await WebServer.listen({ host: '127.0.0.1', port: 0, handlers });
  const second = { host: '127.0.0.1', port: first.port, handlers };
  const isTaken = `port ${first.port} of 127.0.0.1 is in use by another program; set`;
  await expect(WebServer.listen(second)).rejects.toThrow(`${isTaken} PHONEBOOTH_PORT to another port`);
  const tls = { key: '', cert: '' };
  await expect(WebServer.listen({ ...second, tls })).rejects.toThrow(`${isTaken} PHONEBOOTH_TLS_PORT to`);
  await expect(WebServer.listen({ host: '192.0.2.1', port: 0, handlers })).rejects.toThrow(
    '192.0.2.1 is not an address of this machine; set PHONEBOOTH_HOST to one, or to 0.0.0.0 for all',
  );
  const denied = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });
  expect(explain(denied, '127.0.0.1', 80, 'PHONEBOOTH_PORT').message).toBe(
    'this user is not permitted to listen on port 80 of 127.0.0.1; set PHONEBOOTH_PORT to a port above 1023',
  );
  const other = new Error('listen ENOBUFS');
  expect(explain(other, '127.0.0.1', 80, 'PHONEBOOTH_PORT')).toBe(other);
});

test('survives a client that resets its connection after an upgrade request', async () => {
  const answered = Promise.withResolvers<Duplex>();
  const handlers = {
    request: () => {},
    upgrade: (_request: IncomingMessage, socket: Duplex) => {
      writeResponse(socket, 404, { code: 40007, message: 'no WebSocket is served at this path', data: {} });
      answered.resolve(socket);
    },
  };
  await using server = await WebServer.listen({ host: '127.0.0.1', port: 0, handlers });
  const client = connect(server.port, '127.0.0.1').on('error', () => {});
  client.write('GET /x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const socket = await answered.promise;
  socket.resume();
  // Not `once` of node:events, which listens for errors itself
  const closed = new Promise((resolve) => socket.once('close', resolve));
  client.resetAndDestroy();
  await closed;
});

test('cuts a response that its client does not read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  try {
    const closed = vi.fn();
    const handlers: WebServerOptions['handlers'] = {
      request: (_request, response) => response.once('close', closed).end(Buffer.alloc(32 * 1024 * 1024)),
      upgrade: (_request, socket) => void socket.destroy(),
    };
    await using server = await serve(new PendingConnections(LIMITS), { handlers });
    const client = await open(server.port, '127.0.0.1');
    client.pause();
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await vi.waitFor(() => {
      vi.advanceTimersByTime(600_000);
      expect(closed).toHaveBeenCalled();
    }, within);
  } finally {
    vi.useRealTimers();
  }
});

test('answers a request that offers to upgrade to HTTP/2 over HTTP/1.1', async () => {
  const handlers = {
    request: (request: IncomingMessage, response: ServerResponse) => void request.pipe(response),
    upgrade: (_request: IncomingMessage, socket: Duplex) => void socket.destroy(),
  };
  await using server = await WebServer.listen({ host: '127.0.0.1', port: 0, handlers });
  const socket = connect(server.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  socket.write(
    'POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n' +
      'HTTP2-Settings: AAMAAABk\r\nContent-Length: 5\r\n\r\nhello',
  );
  await vi.waitFor(() => expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*hello/), { timeout: 60_000 });
  socket.destroy();
});
