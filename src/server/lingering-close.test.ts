import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, test, vi } from 'vitest';
import { issueAuthority } from './issue-certificates.ts';
import { lingerOnClose } from './lingering-close.ts';

/** More than the socket buffers of both ends hold. */
const LARGE = 32 * 1024 * 1024;
const LIMITS = { totalMs: 60_000, idleMs: 60_000, maxBytes: 2 * LARGE, checkMs: 10 };
const WITHIN = { timeout: 60_000, interval: 10 };

let server: Server;
let client: Socket;
/** The server's end of the connection. */
let accepted: Socket;

afterEach(async () => {
  client.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function serve(
  answer: RequestListener,
  { limits = LIMITS, isTls = false }: { limits?: typeof LIMITS; isTls?: boolean } = {},
): Promise<void> {
  if (isTls) {
    const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
    const { certificate, key } = await issueAuthority('test', validity);
    const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    server = createTlsServer({ cert: certificate.toString(), key: pem }) as Server;
  } else {
    server = createServer();
  }
  lingerOnClose(server, limits);
  server.on('connection', (socket) => {
    accepted = socket;
  });
  server.on('request', answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const to = { port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true };
  client = isTls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
  client.pause();
  await once(client, isTls ? 'secureConnect' : 'connect');
}

const send = (bytes: string | Buffer) =>
  new Promise<void>((resolve, reject) => client.write(bytes, (error) => (error ? reject(error) : resolve())));

const headers = (length: number, connection = 'keep-alive') =>
  `POST / HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\nContent-Length: ${length}\r\n\r\n`;

const closing: RequestListener = (_request, response) =>
  void response.writeHead(413, { connection: 'close' }).end('too large');

const isClosed = () => vi.waitFor(() => expect(accepted.closed).toBe(true), WITHIN);

test.each([
  ['that the server closes', false, 'keep-alive', closing],
  ['that the client asked to close', false, 'close', (_request, response) => void response.end('too large')],
  ['over TLS', true, 'keep-alive', closing],
] satisfies [string, boolean, string, RequestListener][])(
  'delivers an early response to a client that sends its whole body before it reads: connection %s',
  async (_, isTls, connection, answer) => {
    await serve(answer, { isTls });
    await send(headers(LARGE, connection));
    await send(Buffer.alloc(LARGE));
    expect(String(await buffer(client))).toContain('too large');
  },
);

test('delivers an early response to a later request of a connection', async () => {
  await serve((request, response) => {
    if (request.headers.connection === 'close') response.end('too large');
    else request.resume().once('end', () => response.end('accepted'));
  });
  await send(`${headers(4)}body${headers(4)}body${headers(LARGE, 'close')}`);
  await send(Buffer.alloc(LARGE));
  expect(String(await buffer(client))).toContain('too large');
});

test('accepts the next request of a connection whose rest of the body was discarded', async () => {
  await serve((_request, response) => void response.end('early'));
  await send(headers(LARGE));
  await send(Buffer.alloc(LARGE));
  await send(headers(0, 'close'));
  expect(String(await buffer(client)).match(/early/g)).toHaveLength(2);
});

test('closes a connection with the end of the body when the response announced it', async () => {
  let requests = 0;
  await serve((...exchange) => {
    requests += 1;
    closing(...exchange);
  });
  await send(`${headers(4)}body`);
  await buffer(client);
  expect(requests).toBe(1);
});

test.each(['close', 'keep-alive'])(
  'stops waiting for a client that sends nothing: %s',
  async (connection) => {
    await serve((_request, response) => void response.end(), { limits: { ...LIMITS, idleMs: 100 } });
    client.resume().on('error', () => {});
    await send(headers(LARGE, connection));
    await isClosed();
  },
);

test.each([
  ['for longer than the limit', { totalMs: 100 }],
  ['more bytes than the limit', { maxBytes: 1024 * 1024 }],
])('stops discarding a body of a client that continues to send %s', async (_, limits) => {
  await serve(closing, { limits: { ...LIMITS, ...limits } });
  client.resume().on('error', () => {});
  await send(headers(Number.MAX_SAFE_INTEGER));
  const chunk = Buffer.alloc(64 * 1024);
  const pump = () => void (client.destroyed || client.write(chunk, () => setImmediate(pump)));
  pump();
  await isClosed();
});
