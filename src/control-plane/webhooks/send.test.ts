import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lookupPublic, type SendOptions, sendMessage } from './send.ts';

let server: Server;
let port: number;
let connections = 0;
beforeAll(async () => {
  server = createServer((_, response) => response.writeHead(204).end());
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  connections = 0;
});
afterAll(() => void server.close());

type Addresses = Record<string, string[]>;

/** Fake DNS resolver that knows only these names. */
function resolverOf(v4: Addresses, v6: Addresses = {}) {
  const asked: string[] = [];
  const from = (table: Addresses) => async (name: string) => {
    asked.push(name);
    if (!table[name]) throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    return table[name];
  };
  return { asked, resolver: { resolve4: from(v4), resolve6: from(v6) } as SendOptions['resolver'] };
}

const send = (url: string, options: Partial<SendOptions> = {}) =>
  sendMessage(url, { body: '{}', headers: {} }, { mayBePrivate: false, timeoutMs: 60_000, ...options });
const NOT_PUBLIC = {
  status: null,
  error: expect.stringMatching(
    /^the address is not on the public Internet; .*PHONEBOOTH_WEBHOOKS_PRIVATE_NETWORKS$/,
  ),
};

test.each([
  ['loopback', { 'hook.example': ['127.0.0.1'] }, {}],
  ['a private network', { 'hook.example': ['10.0.0.1', '192.168.0.1'] }, {}],
  ['metadata', { 'hook.example': ['169.254.169.254'] }, {}],
  ['a loopback address in IPv6', {}, { 'hook.example': ['::1'] }],
  ['an IPv4-mapped address', {}, { 'hook.example': ['::ffff:127.0.0.1'] }],
])('does not connect to a host name that resolves to %s', async (_, v4, v6) => {
  const { resolver, asked } = resolverOf(v4, v6);
  expect(await send(`http://hook.example:${port}/`, { resolver })).toEqual(NOT_PUBLIC);
  expect(asked).toEqual(['hook.example', 'hook.example']);
  expect(connections).toBe(0);
});

test.each(['localhost', 'a.localhost', 'LOCALHOST.'])(
  'treats %s as this machine regardless of DNS',
  async (name) => {
    const { resolver, asked } = resolverOf({ [name.toLowerCase()]: ['1.1.1.1'] });
    expect(await send(`http://${name}:${port}/`, { resolver })).toEqual(NOT_PUBLIC);
    expect({ asked, connections }).toEqual({ asked: [], connections: 0 });
  },
);

test.each(['127.0.0.1', '[::1]', '2130706433', '[::ffff:7f00:1]'])(
  'does not connect to the address %s',
  async (host) => {
    expect(await send(`http://${host}:${port}/`)).toEqual(NOT_PUBLIC);
    expect(connections).toBe(0);
  },
);

test('connects only to the public ones of several addresses', async () => {
  const { resolver } = resolverOf({ x: ['10.0.0.1', '1.1.1.1'] }, { x: ['::1', '2606:4700:4700::1111'] });
  const answer = (options: object) =>
    new Promise((resolve, reject) =>
      lookupPublic(resolver!)('x', options, (error, ...found) => (error ? reject(error) : resolve(found))),
    );
  expect(await answer({ all: true })).toEqual([
    [
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ],
  ]);
  expect(await answer({})).toEqual(['1.1.1.1', 4]);
  expect(await answer({ family: 6 })).toEqual(['2606:4700:4700::1111', 6]);
  await expect(answer({ family: 4, all: true })).resolves.toEqual([[{ address: '1.1.1.1', family: 4 }]]);
});

test('completes if the receiver switches to another protocol', async () => {
  const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const upgrading = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(switched));
  });
  upgrading.listen(0, '127.0.0.1');
  await once(upgrading, 'listening');
  const { port } = upgrading.address() as AddressInfo;
  expect(await send(`http://127.0.0.1:${port}/`, { mayBePrivate: true })).toEqual({
    ...{ status: 101, error: 'the receiver answered 101' },
  });
  upgrading.close();
  await once(upgrading, 'close');
});

test('describes a failure without disclosing an address', async () => {
  const { resolver } = resolverOf({});
  expect(await send('http://nowhere.example/secret', { resolver })).toEqual({
    ...{ status: null, error: 'the host name of the receiver does not exist' },
  });
  expect(await send(`http://127.0.0.1:${port}/`, { mayBePrivate: true })).toEqual({
    status: 204,
    error: null,
  });
  expect(await send(`https://127.0.0.1:${port}/`, { mayBePrivate: true })).toMatchObject({
    error: expect.stringMatching(
      /^the TLS handshake with the receiver failed|^the response of the receiver is not valid HTTP|^the message could not be sent/,
    ),
  });
  const stopped = AbortSignal.abort();
  expect(await send(`http://127.0.0.1:${port}/`, { mayBePrivate: true, signal: stopped })).toMatchObject({
    error: 'this server shut down during the attempt',
  });
});
