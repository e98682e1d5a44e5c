import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TokenKeys } from '../../src/access/token-keys.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { MAX_ADB_TUNNELS } from '../../src/contract/http/session.ts';
import { AdbGateway } from '../../src/control-gateway/adb/adb-gateway.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import { silentLog } from '../../src/util/log.ts';
import { AgentDouble } from '../gateway/agent-double.ts';
import { Client, refusal, serve, until } from '../gateway/client.ts';
import { FakeStore } from '../gateway/fake-store.ts';
import { addressOf, ORIGINS, TOKEN_KEY, upgradeSuite } from '../gateway/upgrade-suite.ts';

let bus: InProcessBus;
let links: InProcessLinks;
let store: FakeStore;
let agent: AgentDouble;
let gateway: AdbGateway;
let server: Awaited<ReturnType<typeof serve>>;
let clients: Client[];
let auditEvents: [string, number][];

beforeEach(async () => {
  bus = new InProcessBus();
  links = new InProcessLinks();
  store = new FakeStore();
  store.add({ id: 's1' });
  agent = new AgentDouble(bus, links);
  clients = [];
  auditEvents = [];
  gateway = new AdbGateway({
    store,
    bus,
    links: links.listen('adb'),
    tokenKeys: TokenKeys.of(TOKEN_KEY),
    log: silentLog,
    recordAction: async ({ action, code }) => void auditEvents.push([action, code]),
    allowedOrigins: ORIGINS,
    options: { pollMs: 50, grantPollMs: 20, disposeMs: 30_000 },
  });
  server = await serve(gateway);
});
afterEach(async () => {
  for (const client of clients) client.socket.terminate();
  await gateway[Symbol.asyncDispose]();
  await server.close();
  await bus[Symbol.asyncDispose]();
});

async function open(sessionId = 's1'): Promise<Client> {
  const client = new Client(addressOf(server.origin, 'adb', sessionId));
  clients.push(client);
  await client.opened;
  return client;
}

describe('the upgrade is rejected', () => {
  upgradeSuite('adb', () => ({ origin: server.origin, store }));

  test('with 409 if the host does not serve the session yet', async () => {
    const host = bus.serve('host.dial', 'h2', () =>
      Promise.reject(new Error('it does not serve session s1')),
    );
    store.change('s1', { hostId: 'h2', status: 'connecting' });
    const answer = await refusal(addressOf(server.origin, 'adb', 's1'));
    expect(answer).toMatchObject({ status: 409, body: { code: 40014 } });
    host.close();
  });

  test('with 503 above the limit of tunnels per session', async () => {
    for (let n = 0; n < MAX_ADB_TUNNELS; n++) await open();
    const answer = await refusal(addressOf(server.origin, 'adb', 's1'));
    expect(answer).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('4 adb connections') },
    });
    clients[0]!.socket.close();
    await until(() => expect(gateway.counters.tunnels).toBe(MAX_ADB_TUNNELS - 1));
    await open();
  });

  test('with 503 if no host answers', async () => {
    store.change('s1', { hostId: 'nobody' });
    const answer = await refusal(addressOf(server.origin, 'adb', 's1'));
    expect(answer).toMatchObject({ status: 503, body: { code: 50300 } });
    expect(auditEvents).toEqual([['adb.open', 50300]]);
  });
});

test('with 403 and the host’s message if the host rejects it, which is audited', async () => {
  const host = bus.serve('host.dial', 'h2', async () => ({ refused: 'simulated phones do not support adb' }));
  store.change('s1', { hostId: 'h2' });
  const answer = await refusal(addressOf(server.origin, 'adb', 's1'));
  expect(answer).toMatchObject({
    status: 403,
    body: { code: 40003, message: 'simulated phones do not support adb' },
  });
  expect(auditEvents).toEqual([['adb.open', 40003]]);
  host.close();
});

test('opens a tunnel if the host serves the session and the store does not know that yet', async () => {
  store.change('s1', { status: 'connecting' });
  await open();
  expect(agent.asked).toMatchObject([{ purpose: 'adb', sessionId: 's1' }]);
});

test('passes bytes unchanged in both directions, each tunnel over a separate link', async () => {
  const [one, two] = [await open(), await open()];
  expect(auditEvents).toEqual([
    ['adb.open', 0],
    ['adb.open', 0],
  ]);
  one.socket.send(Uint8Array.of(1, 2, 3));
  await until(() => expect(agent.received).toEqual([Buffer.from([1, 2, 3])]));
  agent.links[1]!.send(Uint8Array.of(9));
  await until(() => expect(two.packets).toEqual([Uint8Array.of(9)]));
  expect(one.packets).toEqual([]);
  expect(gateway.counters).toMatchObject({ tunnels: 2, opened: 2, toPhoneBytes: 3, fromPhoneBytes: 1 });
});

test('closes a tunnel on a text message', async () => {
  const client = await open();
  client.socket.send('hello');
  await until(() => expect(client.closed?.code).toBe(1007));
  await until(() => expect(agent.link.closed).toBe(true));
});

test('closes the tunnel when its link is lost, and the link when its tunnel is closed', async () => {
  const [one, two] = [await open(), await open()];
  agent.links[0]!.close();
  await until(() => expect(one.closed?.code).toBe(1012));
  expect(two.closed).toBeNull();
  two.socket.terminate();
  await until(() => expect(agent.links[1]!.closed).toBe(true));
});

test('closes every tunnel with the reason at the end of the session', async () => {
  const [one, two] = [await open(), await open()];
  store.end('s1', 'admin', 'its key was revoked');
  await until(() => expect([one.closed?.code, two.closed?.code]).toEqual([4003, 4003]));
  expect(one.closed?.reason).toBe('the session was terminated: its key was revoked');
  await until(() => expect(agent.links.every(({ closed }) => closed)).toBe(true));
});

test('disconnects a client that does not read, without effect on other clients', async () => {
  const [slow, other] = [await open(), await open()];
  slow.socket.pause();
  const chunk = new Uint8Array(1024 * 1024);
  await until(() => {
    agent.links[0]!.send(chunk);
    expect(agent.links[0]!.closed).toBe(true);
  });
  agent.links[1]!.send(Uint8Array.of(7));
  await until(() => expect(other.packets).toEqual([Uint8Array.of(7)]));
});

test('limits what waits for all clients of an account that do not read', async () => {
  store.add({ id: 's2' });
  store.add({ id: 's3', accountId: 'a2' });
  for (const sessionId of ['s1', 's1', 's2', 's3']) (await open(sessionId)).socket.pause();
  const chunk = new Uint8Array(1024 * 1024);
  for (const link of agent.links) {
    for (let sent = 0; sent < 60; sent += 1) {
      link.send(chunk);
      await turn();
    }
  }
  await until(() => expect(agent.links.map(({ closed }) => closed)).toEqual([false, false, true, false]));
});

test('asks clients to reconnect on a restart', async () => {
  const client = await open();
  await gateway[Symbol.asyncDispose]();
  await until(() => expect(client.closed?.code).toBe(1012));
});
