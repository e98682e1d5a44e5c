import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sharedAddress } from './client-address.ts';
import { ConnectionLimit } from './connection-limit.ts';

let server: Server;
const clients: Socket[] = [];

beforeEach(() => {
  server = createServer().listen(0, '127.0.0.1');
  return once(server, 'listening');
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** Connects and returns the first data that the client reads, or `cut off` if the connection is closed first. */
async function connectOnce(): Promise<string> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client);
  return new Promise((resolve) => {
    client.on('error', () => resolve('cut off')).on('close', () => resolve('cut off'));
    client.once('data', (data) => resolve(String(data)));
  });
}

function limited(isShared: (address: string) => boolean) {
  const reported: string[] = [];
  const limit = new ConnectionLimit({ limit: 2, isShared, onRefused: (address) => reported.push(address) });
  limit.guard(server);
  server.on('connection', (socket) => socket.destroyed || socket.on('error', () => {}).write('in'));
  return { limit, reported };
}

test('closes the connections of an address above the limit and reports this once', async () => {
  const { limit, reported } = limited(() => false);
  expect([await connectOnce(), await connectOnce()]).toEqual(['in', 'in']);
  expect([await connectOnce(), await connectOnce()]).toEqual(['cut off', 'cut off']);
  expect({ refused: limit.refused, reported }).toEqual({ refused: 2, reported: ['127.0.0.1'] });

  clients[0]!.destroy();
  await expect
    .poll(() => new Promise((resolve) => server.getConnections((_, n) => resolve(n))), { timeout: 60_000 })
    .toBe(1);
  expect([await connectOnce(), await connectOnce()]).toEqual(['in', 'cut off']);
});

test('does not limit an address shared by many clients', async () => {
  const { limit } = limited(sharedAddress([]));
  for (let n = 0; n < 5; n += 1) expect(await connectOnce()).toBe('in');
  expect(limit.refused).toBe(0);
});
