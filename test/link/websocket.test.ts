import { once } from 'node:events';
import { request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, createServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Link, LinkError, type LinkHello } from '../../src/link/link.ts';
import { WebSocketDialer } from '../../src/link/websocket-dialer.ts';
import { encodeHello } from '../../src/link/websocket-hello.ts';
import type { IngestServer } from '../../src/link/websocket-ingest.ts';
import { WebSocketListener } from '../../src/link/websocket-listener.ts';
import { type Log, silentLog } from '../../src/util/log.ts';
import { until } from '../gateway/client.ts';
import { promised } from '../nightly.ts';
import { FaultyNetwork } from './faulty-network.ts';
import { CERTIFICATE, openIngest, QUICK, selfSigned } from './ingest-rig.ts';
import { linkSuite } from './link-suite.ts';
import { networkSuite } from './network-suite.ts';

const quiet = { log: silentLog, keepalive: QUICK };

linkSuite('WebSocket', async () => {
  const ingest = await openIngest();
  return {
    listener: new WebSocketListener(ingest, 'stream', { log: silentLog }),
    dialer: new WebSocketDialer({ log: silentLog }),
    close: () => ingest[Symbol.asyncDispose](),
  };
});

networkSuite('WebSocket', async (keepalive) => {
  const options = { log: silentLog, keepalive };
  const network = await FaultyNetwork.start();
  const ingest = await openIngest({ origin: network.origin, limits: { disposeMs: 100 } });
  network.target = ingest.port;
  return {
    listener: new WebSocketListener(ingest, 'stream', options),
    dialer: new WebSocketDialer(options),
    network,
    close: async () => {
      await ingest[Symbol.asyncDispose]();
      await network[Symbol.asyncDispose]();
    },
  };
});

const hello: LinkHello = { sessionId: 's1', epoch: 3, purpose: 'stream', ticket: 'ticket-1' };
const soon = { timeoutMs: 60_000 };
const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** Starts a server with one listener that accepts every link. */
async function world(options: Parameters<typeof openIngest>[0] = {}, maxLinks?: number) {
  const ingest = await openIngest(options);
  const listener = new WebSocketListener(ingest, 'stream', { ...quiet, ...(maxLinks ? { maxLinks } : {}) });
  const asked: LinkHello[] = [];
  const links: Link[] = [];
  listener.accept(
    (given) => asked.push(given) > 0 && given.ticket === hello.ticket,
    (link) => links.push(link),
  );
  open.push(ingest, listener);
  return { ingest, listener, asked, links, dialer: new WebSocketDialer(quiet) };
}

describe('verification of the gateway', () => {
  /** Starts a TLS server with another certificate that records what it receives. */
  async function impostor() {
    const received: Buffer[] = [];
    const sockets: Socket[] = [];
    const server = createServer(await selfSigned(), (socket) => {
      socket.on('data', (chunk) => received.push(chunk));
      socket.on('error', () => {});
    });
    server.on('connection', (socket: Socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({
      [Symbol.asyncDispose]: async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    });
    return { received, sockets, port: (server.address() as { port: number }).port };
  }

  test('sends nothing to a man in the middle with another certificate', async () => {
    const { listener, dialer } = await world();
    const { received, sockets, port } = await impostor();
    const address = listener.ingest.replace(/:\d+/, `:${port}`);
    await expect(dialer.dial(address, hello, soon)).rejects.toThrow('presented an unexpected certificate');
    await until(() => expect(sockets.map((socket) => socket.closed)).toEqual([true]));
    expect(received).toEqual([]);
  });

  test.each([
    ['no certificate hash', (address: string) => address.replace(/#.*/, '')],
    ['a short certificate hash', (address: string) => address.slice(0, -1)],
    ['no TLS', (address: string) => address.replace('wss:', 'ws:')],
    ['an invalid URL', () => 'in-process:stream'],
  ])('does not dial an address with %s', async (_, change) => {
    const { listener, dialer, asked } = await world();
    await expect(dialer.dial(change(listener.ingest), hello, soon)).rejects.toBeInstanceOf(LinkError);
    expect(asked).toEqual([]);
  });

  test('consists of the URL and the hash of the certificate', async () => {
    const { listener } = await world();
    expect(listener.ingest).toMatch(/^wss:\/\/127\.0\.0\.1:\d+\/link\/stream#[\w-]{43}$/);
    const behind = await world({ origin: 'wss://gateway-1.example' });
    expect(behind.listener.ingest).toMatch(/^wss:\/\/gateway-1\.example\/link\/stream#/);
  });

  test('keeps the ticket out of errors and logs', async () => {
    const lines: string[] = [];
    const keep = (fields: object, message: string) => lines.push(JSON.stringify(fields) + message);
    const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
    const { listener, links } = await world({ log });
    const dialer = new WebSocketDialer({ log, keepalive: QUICK });
    const secret = { ...hello, ticket: 'not-to-be-seen' };
    const error: Error = await dialer.dial(listener.ingest, secret, soon).then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error.message).toContain('rejected');
    const link = await dialer.dial(listener.ingest, hello, soon);
    links[0]!.send('x');
    for (let n = 0; n < 300; n += 1) links[0]!.send(`${n}`);
    await until(() => expect(link.closed).toBe(true));
    expect(lines.length).toBeGreaterThan(0);
    expect(error.message + lines.join()).not.toMatch(/not-to-be-seen|ticket-1/);
  });
});

describe('the upgrade', () => {
  /** Returns the HTTP status of an upgrade. */
  function upgradeStatus(
    ingest: IngestServer,
    path: string,
    authorization?: string,
  ): Promise<number | undefined> {
    const socket = new WebSocket(`wss://127.0.0.1:${ingest.port}${path}`, {
      rejectUnauthorized: false,
      headers: authorization === undefined ? {} : { authorization },
    });
    socket.on('error', () => {});
    return new Promise((resolve) => {
      socket.on('open', () => {
        socket.terminate();
        resolve(101);
      });
      socket.on('unexpected-response', (sent, { statusCode }) => {
        sent.destroy();
        resolve(statusCode);
      });
    });
  }
  const encoded = (value: unknown) =>
    `Phonebooth-Link ${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

  test('answers 101 to a hello with a valid ticket and 401 to another', async () => {
    const { ingest, links } = await world();
    expect(await upgradeStatus(ingest, '/link/stream', encodeHello(hello))).toBe(101);
    expect(links[0]!.hello).toEqual(hello);
    expect(await upgradeStatus(ingest, '/link/stream', encodeHello({ ...hello, ticket: 'other' }))).toBe(401);
  });

  test('parses the bytes of a hello', () => {
    expect(encodeHello(hello)).toBe(
      'Phonebooth-Link eyJzZXNzaW9uSWQiOiJzMSIsImVwb2NoIjozLCJwdXJwb3NlIjoic3RyZWFtIiwidGlja2V0IjoidGlja2V0LTEifQ',
    );
  });

  test.each([
    ['no header', undefined],
    ['another scheme', 'Bearer abc'],
    ['invalid base64url', 'Phonebooth-Link !!!'],
    ['malformed JSON', `Phonebooth-Link ${Buffer.from('{').toString('base64url')}`],
    ['a missing field', encoded({ ...hello, ticket: undefined })],
    ['a field of the wrong type', encoded({ ...hello, epoch: '3' })],
    ['an oversized field', encoded({ ...hello, sessionId: 'x'.repeat(300) })],
  ])('answers 400 for %s without calling the gateway', async (_, header) => {
    const { ingest, asked } = await world();
    expect(await upgradeStatus(ingest, '/link/stream', header)).toBe(400);
    expect(asked).toEqual([]);
  });

  test('answers 404 at other paths, for upgrades and for requests', async () => {
    const { ingest } = await world();
    expect(await upgradeStatus(ingest, '/link/control', encodeHello(hello))).toBe(404);
    expect(await fetchStatus(ingest, '/link/stream')).toBe(404);
    expect(await fetchStatus(ingest, '//')).toBe(404);
  });

  test('answers 503 at the limit of links', async () => {
    const { ingest, listener, dialer } = await world({}, 1);
    const link = await dialer.dial(listener.ingest, hello, soon);
    expect(await upgradeStatus(ingest, '/link/stream', encodeHello(hello))).toBe(503);
    await expect(dialer.dial(listener.ingest, hello, soon)).rejects.toThrow('answered 503');
    link.close();
    await until(async () =>
      expect(await upgradeStatus(ingest, '/link/stream', encodeHello(hello))).toBe(101),
    );
  });

  test('closes the link on a message header above the size limit, before the message arrives', async () => {
    const { ingest, links } = await world();
    const socket = connectTls({ port: ingest.port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => {});
    socket.write(
      `GET /link/stream HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: ${encodeHello(hello)}\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
    );
    await until(() => expect(links.length).toBe(1));
    const head = Buffer.alloc(14);
    head[0] = 0x82;
    head[1] = 0xff;
    head.writeBigUInt64BE(BigInt(64 * 1024 * 1024 + 1), 2);
    expect(links[0]!.closed).toBe(false);
    socket.write(head);
    await until(() => expect(links[0]!.closed).toBe(true));
    socket.destroy();
  });

  function fetchStatus(ingest: IngestServer, path: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port: ingest.port,
        path,
        agent: false,
        rejectUnauthorized: false,
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.end();
    });
  }

  test('keeps the links of two listeners of one server separate', async () => {
    const { ingest, listener, dialer, links } = await world();
    const control = new WebSocketListener(ingest, 'control', quiet);
    open.push(control);
    const controls: Link[] = [];
    control.accept(
      () => true,
      (link) => controls.push(link),
    );
    await dialer.dial(control.ingest, { ...hello, purpose: 'control' }, soon);
    await dialer.dial(listener.ingest, hello, soon);
    await until(() => expect([links.length, controls.length]).toEqual([1, 1]));
    expect(() => new WebSocketListener(ingest, 'control', quiet)).toThrow('already has a listener');
    await control[Symbol.asyncDispose]();
    await until(() => expect(controls[0]!.closed).toBe(true));
    expect(links[0]!.closed).toBe(false);
  });
});

describe('silent connections', () => {
  const closed = (socket: { closed: boolean }) => until(() => expect(socket.closed).toBe(true));

  test.each([
    ['no TLS', (port: number) => connectTcp(port, '127.0.0.1')],
    ['no request', (port: number) => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })],
  ])('are closed after a timeout: %s', async (_, connect) => {
    const { ingest } = await world({ limits: { pending: { total: 10, perAddress: 10, deadlineMs: 200 } } });
    const socket = connect(ingest.port).on('error', () => {});
    await once(socket, 'connect');
    await closed(socket);
  });

  test('block neither another address nor their own, even if there are 600 from one address', async () => {
    const { ingest, listener, dialer } = await world();
    const link = await dialer.dial(listener.ingest, hello, soon);
    const idle = Array.from({ length: 600 }, () =>
      connectTcp({ port: ingest.port, host: '127.0.0.1', localAddress: '127.0.0.2' }).on('error', () => {}),
    );
    await until(() => expect(idle.filter((socket) => socket.destroyed).length).toBeGreaterThan(80));
    await dialer.dial(listener.ingest, hello, soon);
    const own = Array.from({ length: 600 }, () => connectTcp(ingest.port, '127.0.0.1').on('error', () => {}));
    await until(() => expect(own.some((socket) => socket.destroyed)).toBe(true));
    await until(() => dialer.dial(listener.ingest, hello, soon));
    expect(link.closed).toBe(false);
    for (const socket of [...idle, ...own]) socket.destroy();
  });

  test('are not kept open after a request without a ticket, however the client continues', async () => {
    const { ingest } = await world();
    const socket = connectTls({ port: ingest.port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => {}).resume();
    socket.write('GET /link/stream HTTP/1.1\r\nhost: x\r\n\r\n');
    await closed(socket);
  });

  test('do not delay the close of a server', async () => {
    const { ingest } = await world({ limits: { disposeMs: 60_000 } });
    const sockets = [
      connectTcp(ingest.port, '127.0.0.1'),
      connectTls({ port: ingest.port, host: '127.0.0.1', rejectUnauthorized: false }),
    ];
    for (const socket of sockets)
      await once(
        socket.on('error', () => {}),
        'connect',
      );
    const started = performance.now();
    await ingest[Symbol.asyncDispose]();
    expect(performance.now() - started).toBeLessThan(promised(10_000));
    for (const socket of sockets) await closed(socket);
  });
});

test('reports a port in use, and a certificate without its key, immediately', async () => {
  const { ingest } = await world();
  await expect(openIngest({ port: ingest.port })).rejects.toThrow('EADDRINUSE');
  const { key } = await selfSigned();
  await expect(openIngest({ cert: CERTIFICATE.cert, key })).rejects.toThrow('key values mismatch');
});
