import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { issueAuthority, issueServer } from './issue-certificates.ts';
import { OpenConnections } from './open-connections.ts';

/** Longer than any test may take, so a connection that closes earlier was not closed by the deadline. */
const NEVER_MS = 600_000;
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

let server: Server;
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  server.close();
});

async function listening(made: Server): Promise<OpenConnections> {
  server = made;
  server.keepAliveTimeout = NEVER_MS;
  const connections = new OpenConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return connections;
}

const port = () => (server.address() as AddressInfo).port;

/** Returns everything that a client has read when its connection closes. */
function readAll(client: Socket): Promise<string> {
  clients.push(client);
  let text = '';
  client
    .on('error', () => {})
    .on('data', (data) => {
      text += String(data);
    });
  return new Promise((resolve) => client.once('close', () => resolve(text)));
}

async function overTls() {
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const authority = await issueAuthority('test', validity);
  const issued = await issueServer({ commonName: 'test', names: ['localhost'], authority, ...validity });
  const key = issued.key.export({ type: 'pkcs8', format: 'pem' });
  return createTlsServer({ key, cert: issued.certificate.toString() }) as Server;
}

describe.each([
  ['HTTP', () => createServer(), () => connect(port(), '127.0.0.1'), 'connect'],
  ['HTTPS', overTls, () => connectTls(port(), '127.0.0.1', { rejectUnauthorized: false }), 'secureConnect'],
] as const)('closing a server of %s', (_, make, dial, isUp) => {
  test('does not wait for idle connections', async () => {
    const connections = await listening(await make());
    server.on('request', (_request, response) => response.end('hello'));
    const [silent, resting] = [dial(), dial()];
    const ends = [readAll(silent), readAll(resting)];
    await Promise.all([silent, resting].map((client) => once(client, isUp)));
    resting.write(REQUEST);
    await once(resting, 'data');
    await connections.close(NEVER_MS);
    expect(await Promise.all(ends)).toEqual(['', expect.stringContaining('hello')]);
  });

  test('waits for pending responses and closes their connections after them', async () => {
    const connections = await listening(await make());
    const asked = once(server, 'request');
    const client = dial();
    const end = readAll(client);
    client.write(REQUEST);
    const [, response] = (await asked) as [unknown, ServerResponse];
    const closed = connections.close(NEVER_MS);
    response.end('at last');
    await closed;
    expect(await end).toContain('at last');
  });

  test('closes a connection that is busy for too long', async () => {
    const connections = await listening(await make());
    const asked = once(server, 'request');
    const client = dial();
    const end = readAll(client);
    client.write(REQUEST);
    await asked;
    await connections.close(20);
    expect(await end).toBe('');
  });
});

describe('draining', () => {
  test('accepts new connections and closes each after its response', async () => {
    const connections = await listening(createServer());
    const asked = once(server, 'request');
    const early = connect(port(), '127.0.0.1');
    const earlyEnd = readAll(early);
    early.write(REQUEST);
    const [, response] = (await asked) as [unknown, ServerResponse];
    connections.drain();
    server.on('request', (_request, later: ServerResponse) => later.end('hello'));
    const late = connect(port(), '127.0.0.1');
    const lateEnd = readAll(late);
    late.write(REQUEST);
    expect(await lateEnd).toMatch(/^Connection: close\r\n[\s\S]*hello/im);
    response.end('at last');
    expect(await earlyEnd).toMatch(/^Connection: close\r\n[\s\S]*at last/im);
  });

  test('keeps idle connections open for requests that may be in flight', async () => {
    const connections = await listening(createServer());
    server.on('request', (_request, response) => response.end('hello'));
    const client = connect(port(), '127.0.0.1');
    const end = readAll(client);
    client.write(REQUEST);
    await once(client, 'data');
    connections.drain();
    client.write(REQUEST);
    expect(await end).toMatch(/keep-alive[\s\S]*hello[\s\S]*Connection: close[\s\S]*hello/i);
  });
});

test('closing does not wait for a TLS handshake', async () => {
  const connections = await listening(await overTls());
  const known = once(server, 'connection');
  const end = readAll(connect(port(), '127.0.0.1'));
  await known;
  await connections.close(NEVER_MS);
  expect(await end).toBe('');
});
