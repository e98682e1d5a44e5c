import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { TokenKeys } from '../../src/access/token-keys.ts';
import type { Bus } from '../../src/bus/bus.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import type { BusRequests } from '../../src/bus/messages.ts';
import type { RecordAction } from '../../src/control-gateway/audit-event.ts';
import { ControlGateway, type ControlGatewayOptions } from '../../src/control-gateway/control-gateway.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import type { Link } from '../../src/link/link.ts';
import { type ControlReply, encodeLinkMessage } from '../../src/link/messages.ts';
import type { KeyRow } from '../../src/store/entities.ts';
import { TimeoutError } from '../../src/util/deadline.ts';
import type { Log } from '../../src/util/log.ts';
import { LossyBus } from '../bus/lossy-bus.ts';
import { AgentDouble } from '../gateway/agent-double.ts';
import { Client, fakeClock, refusal, serve, until } from '../gateway/client.ts';
import { FakeStore } from '../gateway/fake-store.ts';
import { addressOf, ORIGINS, TOKEN_KEY, upgradeSuite } from '../gateway/upgrade-suite.ts';

const READY = {
  type: 'ready',
  width: 540,
  height: 1170,
  capabilities: ['tap', 'text', 'app.list', 'app.install', 'shell'],
};
/** The error of a call that needs the store while it is unreachable. */
const STORE_UNAVAILABLE = {
  code: -32002,
  message: 'the service cannot reach its database, or the database is too slow; try again shortly',
  data: { code: 50300 },
};
/** scrcpy's BACK_OR_SCREEN_ON message with action down. */
const BACK = Uint8Array.of(4, 0);

let bus: Bus;
let links: InProcessLinks;
let store: FakeStore;
let agent: AgentDouble;
let gateway: ControlGateway;
let server: Awaited<ReturnType<typeof serve>>;
let clients: Client[];
let log: string[];
let records: Parameters<RecordAction>[0][];

const options = {
  lingerMs: 50,
  pollMs: 100,
  grantPollMs: 20,
  link: { attemptMs: 200, minPauseMs: 5, maxPauseMs: 50 },
} satisfies Partial<ControlGatewayOptions>;

function open(name: string, more: Partial<ControlGatewayOptions> = {}): ControlGateway {
  const keep = (fields: object, message: string) => log.push(`${JSON.stringify(fields)} ${message}`);
  const keeping: Log = { debug: keep, info: keep, warn: keep, error: keep };
  return new ControlGateway({
    store,
    bus,
    links: links.listen(name),
    tokenKeys: TokenKeys.of(TOKEN_KEY),
    log: keeping,
    recordAction: async (entry) => void records.push(entry),
    maxDurationMinutes: 480,
    allowedOrigins: ORIGINS,
    options: { ...options, ...more },
  });
}

async function start(more: Partial<ControlGatewayOptions> = {}, theBus: Bus = new InProcessBus()) {
  bus = theBus;
  links = new InProcessLinks();
  store = new FakeStore();
  store.add({ id: 's1' });
  agent = new AgentDouble(bus, links);
  agent.onLink = (link) => link.send(JSON.stringify(READY));
  clients = [];
  log = [];
  records = [];
  gateway = open('control', more);
  server = await serve(gateway);
}

async function stop() {
  for (const client of clients) client.socket.terminate();
  await gateway[Symbol.asyncDispose]();
  await server.close();
  await bus[Symbol.asyncDispose]();
}

async function connect(sessionId = 's1', origin = server.origin): Promise<Client> {
  const client = new Client(addressOf(origin, 'control', sessionId));
  clients.push(client);
  await client.opened;
  return client;
}

/** Connects a client and waits until it is notified that the phone is ready. */
async function control(): Promise<Client> {
  const client = await connect();
  await until(() => expect(client.texts[0]).toMatchObject({ method: 'session.ready' }));
  return client;
}

const sendJson = (client: Client, message: unknown) => client.socket.send(JSON.stringify(message));
const call = (id: number | string, method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
/** Result codes of the audit events for an action. */
const actions = (action: string) =>
  records.filter((entry) => entry.action === action).map(({ code }) => code);
const TAP = { x: 0.5, y: 0.25 };
const reply = (message: ControlReply, link: Link = agent.link) => link.send(encodeLinkMessage(message));
const answerTo = (client: Client, id: number | string | null) =>
  until(() => {
    const answer = client.texts.find((text) => text.id === id);
    expect(answer).toBeDefined();
    return answer as { result?: unknown; error?: { code: number; message: string; data?: object } };
  });
/** Calls that reached the phone. */
const calls = () =>
  agent.received
    .filter((message) => typeof message === 'string')
    .map((text) => JSON.parse(text) as { id: number; method: string; params: unknown });
const nextCall = (count: number) =>
  until(() => {
    expect(calls().length).toBe(count);
    return calls().at(-1)!;
  });

describe('the control gateway', () => {
  beforeEach(() => start());
  afterEach(stop);

  upgradeSuite('control', () => ({ origin: server.origin, store }));

  test('sends session.ready first', async () => {
    const client = await control();
    expect(client.texts[0]).toEqual({
      jsonrpc: '2.0',
      method: 'session.ready',
      params: {
        session_id: 's1',
        width: 540,
        height: 1170,
        capabilities: READY.capabilities,
        expires_at: '1970-01-01T00:26:40.000Z',
      },
    });
  });

  test('forwards a call to the phone with its defaults and returns the result', async () => {
    const client = await control();
    sendJson(client, call('a', 'tap', TAP));
    const made = await nextCall(1);
    expect(made).toEqual({ type: 'call', id: made.id, method: 'tap', params: TAP });
    reply({ type: 'result', id: made.id, result: null });
    expect(await answerTo(client, 'a')).toEqual({ jsonrpc: '2.0', id: 'a', result: null });
  });

  test('installs an app of the session’s account, but not of another account', async () => {
    const client = await control();
    sendJson(client, call(1, 'app.install', { app_id: 'app-of-a2' }));
    const message = 'params.app_id is not an app of this account; list the apps for valid ids';
    expect(await answerTo(client, 1)).toMatchObject({
      error: { code: -32602, message, data: { code: 40006 } },
    });
    expect(calls()).toEqual([]);
    store.away = true;
    sendJson(client, call(2, 'app.install', { app_id: 'app-of-a1' }));
    expect((await answerTo(client, 2)).error).toEqual(STORE_UNAVAILABLE);
    store.away = false;
    sendJson(client, call(3, 'app.install', { app_id: 'app-of-a1' }));
    expect(await nextCall(1)).toMatchObject({ method: 'app.install', params: { app_id: 'app-of-a1' } });
    const progress = { app_id: 'app-of-a1', state: 'failed', percent: 3, message: 'no room' } as const;
    reply({ type: 'notification', method: 'app.progress', params: progress });
    await until(() =>
      expect(client.texts).toContainEqual({ jsonrpc: '2.0', method: 'app.progress', params: progress }),
    );
  });

  test('returns answers in any order', async () => {
    const client = await control();
    sendJson(client, call(1, 'app.list'));
    sendJson(client, call(2, 'tap', TAP));
    await nextCall(2);
    const [first, second] = calls();
    reply({ type: 'result', id: second!.id, result: null });
    await answerTo(client, 2);
    reply({ type: 'result', id: first!.id, result: { apps: [] } });
    expect(await answerTo(client, 1)).toMatchObject({ result: { apps: [] } });
  });

  test.each([
    ['unsupported', -32001],
    ['failed', -32002],
    ['invalid', -32602],
  ] as const)('forwards an error of the phone, %s, as %i with its message', async (kind, code) => {
    const client = await control();
    sendJson(client, call(1, 'tap', TAP));
    reply({ type: 'error', id: (await nextCall(1)).id, kind, message: 'phone error message' });
    expect(await answerTo(client, 1)).toMatchObject({ error: { code, message: 'phone error message' } });
  });

  test.each([
    [
      'an unknown method',
      call(1, 'fly'),
      1,
      -32601,
      'method fly does not exist; /asyncapi.json lists the methods',
    ],
    [
      'a method name of Object.prototype',
      call(1, 'toString'),
      1,
      -32601,
      'method toString does not exist; /asyncapi.json lists the methods',
    ],
    [
      'a method that this phone does not support',
      call(1, 'power', { on: true }),
      1,
      -32001,
      'this phone does not support power; use a phone whose capabilities include it',
    ],
    ['an invalid parameter', call(1, 'tap', { x: 2, y: 0 }), 1, -32602, 'params.x must be between 0 and 1'],
    ['positional parameters', call(1, 'tap', [0, 0]), 1, -32602, 'params must be an object'],
    [
      'a wrong JSON-RPC version',
      { jsonrpc: '1.0', id: 1, method: 'tap' },
      null,
      -32600,
      'jsonrpc must be "2.0"',
    ],
    ['an id of a wrong type', call({} as never, 'tap'), null, -32600, 'id must be a string or a number'],
    [
      'a call that is not an object',
      17,
      null,
      -32600,
      'a call must be an object such as {"jsonrpc":"2.0","id":1,"method":"session.ping"}',
    ],
    ['an empty batch', [], null, -32600, 'a batch must have at least one call'],
    [
      'an oversized batch',
      Array(21).fill(call(1, 'tap', TAP)),
      null,
      -32600,
      'a batch must have at most 20 calls, not 21',
    ],
  ])('rejects %s', async (_, message, id, code, text) => {
    const client = await control();
    sendJson(client, message);
    expect(await answerTo(client, id)).toMatchObject({ error: { code, message: text } });
    expect(calls()).toEqual([]);
    expect(client.closed).toBeNull();
  });

  test('answers malformed JSON with -32700', async () => {
    const client = await control();
    client.socket.send('{');
    expect(await answerTo(client, null)).toMatchObject({ error: { code: -32700 } });
  });

  test('executes a notification without answering it or its error', async () => {
    const client = await control();
    sendJson(client, { jsonrpc: '2.0', method: 'tap', params: TAP });
    sendJson(client, { jsonrpc: '2.0', method: 'fly' });
    reply({ type: 'result', id: (await nextCall(1)).id, result: null });
    sendJson(client, call(9, 'fly'));
    await answerTo(client, 9);
    expect(client.texts.length).toBe(2);
  });

  test('answers a batch as a whole, in order, without its notifications', async () => {
    const client = await control();
    sendJson(client, [
      call(1, 'tap', TAP),
      { jsonrpc: '2.0', method: 'tap', params: TAP },
      call(2, 'fly'),
      5,
    ]);
    await nextCall(2);
    for (const { id } of calls()) reply({ type: 'result', id, result: null });
    await until(() => expect(client.texts.length).toBe(2));
    expect(client.texts[1]).toMatchObject([
      { id: 1, result: null },
      { id: 2, error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  test('forwards a binary message unchanged, in order with the calls around it', async () => {
    const client = await control();
    client.socket.send(BACK);
    sendJson(client, call(1, 'tap', TAP));
    client.socket.send(Uint8Array.of(11));
    await until(() => expect(agent.received.length).toBe(3));
    expect(agent.received.map((message) => (typeof message === 'string' ? 'call' : [...message]))).toEqual([
      [4, 0],
      'call',
      [11],
    ]);
    expect(gateway.counters).toMatchObject({ clients: 1, calls: 1, injected: 2 });
  });

  test('reports a malformed binary message and does not forward it', async () => {
    const client = await control();
    client.socket.send(Uint8Array.of(4));
    expect(await answerTo(client, null)).toMatchObject({
      error: { code: -32602, message: 'control message 4 is truncated at 1 bytes' },
    });
    expect(client.closed).toBeNull();
    expect(agent.received).toEqual([]);
  });

  test('closes the socket with 1007 after twenty consecutive invalid messages, but not if a valid one intervenes', async () => {
    const client = await control();
    const garbage = (count: number) => {
      for (let n = 0; n < count; n += 1) client.socket.send(n % 2 ? '{' : Uint8Array.of(99));
    };
    garbage(19);
    client.socket.send(BACK);
    garbage(19);
    sendJson(client, call(1, 'fly'));
    await answerTo(client, 1);
    expect(client.closed).toBeNull();
    garbage(20);
    await until(() => expect(client.closed?.code).toBe(1007));
  });

  test('closes an oversized message with 1009 and invalid UTF-8 with 1007', async () => {
    const big = await control();
    big.socket.send(new Uint8Array(300_000));
    await until(() => expect(big.closed?.code).toBe(1009));
    const wrong = await control();
    wrong.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    await until(() => expect(wrong.closed?.code).toBe(1007));
  });

  test('holds commands of a phone that already streams until it is ready, in order', async () => {
    fakeClock();
    agent.onLink = () => {};
    const client = await connect();
    await until(() => expect(agent.links.length).toBe(1));
    sendJson(client, call(1, 'tap', TAP));
    client.socket.send(BACK);
    sendJson(client, call(2, 'session.ping'));
    await answerTo(client, 2);
    expect(agent.received).toEqual([]);
    agent.link.send(JSON.stringify(READY));
    await until(() => expect(agent.received).toHaveLength(2));
    expect(calls()).toMatchObject([{ method: 'tap' }]);
    expect(typeof agent.received[0]).toBe('string');
    reply({ type: 'result', id: calls()[0]!.id, result: null });
    expect(await answerTo(client, 1)).toMatchObject({ result: null });
  });

  test('holds a command until a phone becomes ready late, while its row is still connecting', async () => {
    fakeClock();
    agent.onLink = () => {};
    store.change('s1', { status: 'connecting' });
    const client = await connect();
    await until(() => expect(agent.links.length).toBe(1));
    // The client has seen a frame; the ready message and the row's change are on their way
    sendJson(client, call(1, 'tap', TAP));
    sendJson(client, call(2, 'session.ping'));
    await answerTo(client, 2);
    vi.advanceTimersByTime(1_000);
    agent.link.send(JSON.stringify(READY));
    reply({ type: 'result', id: (await nextCall(1)).id, result: null });
    expect(await answerTo(client, 1)).toMatchObject({ result: null });
  });

  test('answers a command with -32003 if the phone is not ready within 2 s, and never executes it later', async () => {
    agent.onLink = () => {};
    store.change('s1', { status: 'connecting' });
    const client = await connect();
    await until(() => expect(agent.links.length).toBe(1));
    const since = performance.now();
    sendJson(client, call(1, 'tap', TAP));
    client.socket.send(BACK);
    expect(await answerTo(client, 1)).toMatchObject({ error: { code: -32003 } });
    expect(performance.now() - since).toBeGreaterThan(1_900);
    expect(await answerTo(client, null)).toMatchObject({ error: { code: -32003 } });
    agent.link.send(JSON.stringify(READY));
    await until(() => expect(client.texts.at(-1)).toMatchObject({ method: 'session.ready' }));
    sendJson(client, call(2, 'tap', TAP));
    await nextCall(1);
    expect(agent.received.length).toBe(1);
  });

  test('fails pending calls on a lost link, rejects new ones and reports when the phone is back', async () => {
    const client = await control();
    sendJson(client, call(1, 'tap', TAP));
    await nextCall(1);
    agent.dials = false;
    agent.link.close();
    expect(await answerTo(client, 1)).toMatchObject({ error: { code: -32002 } });
    sendJson(client, call(2, 'tap', TAP));
    expect(await answerTo(client, 2)).toMatchObject({ error: { code: -32003 } });
    agent.dials = true;
    await until(() => expect(client.texts.filter((text) => text.method === 'session.ready').length).toBe(2));
    expect(client.closed).toBeNull();
  });

  test('forwards notifications of the phone, and a rotation to clients that connect later', async () => {
    const client = await control();
    reply({ type: 'notification', method: 'clipboard.changed', params: { text: 'é' } });
    reply({ type: 'notification', method: 'device.rotated', params: { width: 1170, height: 540 } });
    await until(() => expect(client.texts.length).toBe(3));
    expect(client.texts.slice(1)).toEqual([
      { jsonrpc: '2.0', method: 'clipboard.changed', params: { text: 'é' } },
      { jsonrpc: '2.0', method: 'device.rotated', params: { width: 1170, height: 540 } },
    ]);
    const next = await control();
    expect(next.texts[0]).toMatchObject({ params: { width: 1170, height: 540 } });
  });

  test('closes the link of an agent that violates the protocol, and requests a new one', async () => {
    const client = await control();
    agent.link.send('{"type":"reboot"}');
    await until(() => expect(agent.links.length).toBe(2));
    expect(client.closed).toBeNull();
    expect(log.join()).toContain('the agent violated the protocol');
  });

  test('audits takeovers, extensions and installs with the key of the socket address', async () => {
    const client = await control();
    sendJson(client, call(1, 'session.extend', { duration: 5 }));
    expect(await answerTo(client, 1)).toMatchObject({ result: { minutes_reserved: 15 } });
    store.refusal = { ok: false, refusal: { why: 'ended' } };
    sendJson(client, call(2, 'session.extend', { duration: 5 }));
    await answerTo(client, 2);
    sendJson(client, call(3, 'app.install', { app_id: 'app-of-another' }));
    await answerTo(client, 3);
    const newer = new Client(addressOf(server.origin, 'control', 's1', 7, 'k2'));
    clients.push(newer);
    await newer.opened;
    await until(() => expect(client.closed?.code).toBe(4009));
    const taken = { by: { id: 'k2', name: 'Ana' }, same_key: false };
    expect(client.texts.at(-1)).toEqual({ jsonrpc: '2.0', method: 'session.taken_over', params: taken });
    const targets = [
      { kind: 'session', id: 's1' },
      { kind: 'device', id: 'd1' },
    ];
    const by = (keyId: string) => ({ accountId: 'a1', keyId, address: '127.0.0.1', targets });
    expect(records).toEqual([
      { ...by('k1'), action: 'control.open', code: 0 },
      // The audit event of a successful extension is committed in the same transaction
      { ...by('k1'), action: 'control.extend', code: -32002 },
      { ...by('k1'), action: 'control.install', code: -32602 },
      { ...by('k2'), action: 'control.open', code: 0 },
    ]);
    expect(store.audited).toEqual([{ ...by('k1'), action: 'control.extend', isRecorded: true }]);
  });

  test('lets a newer client take over, and discards answers to calls of the older one', async () => {
    const old = await control();
    sendJson(old, call(1, 'app.list'));
    const { id } = await nextCall(1);
    const next = await control();
    await until(() => expect(old.closed?.code).toBe(4009));
    expect(old.texts.at(-1)).toMatchObject({ params: { by: { name: 'key k1' }, same_key: true } });
    expect(agent.links.length).toBe(1);
    sendJson(next, call(1, 'tap', TAP));
    await nextCall(2);
    reply({ type: 'result', id, result: { apps: [] } });
    reply({ type: 'result', id: calls()[1]!.id, result: null });
    expect(await answerTo(next, 1)).toMatchObject({ result: null });
    expect(next.texts.length).toBe(2);
    expect(gateway.counters).toMatchObject({ takeovers: 1, clients: 1 });
  });

  test('lets a client of another gateway take over through the agent', async () => {
    const first = await control();
    const firstLink = agent.link;
    const otherGateway = open('control-2');
    const otherServer = await serve(otherGateway);
    agent.onLink = (link) => {
      const { by } = agent.asked.at(-1)!;
      reply({ type: 'taken-over', ...(by && { by }) }, firstLink);
      firstLink.close();
      link.send(JSON.stringify(READY));
    };
    const second = new Client(addressOf(otherServer.origin, 'control', 's1', 7, 'k2'));
    clients.push(second);
    await second.opened;
    await until(() => expect(first.closed?.code).toBe(4009));
    expect(first.texts.at(-1)).toMatchObject({ params: { by: { name: 'Ana' }, same_key: false } });
    await until(() => expect(second.texts[0]).toMatchObject({ method: 'session.ready' }));
    await until(() => expect(gateway.counters.sessions).toBe(0));
    expect(agent.links.length).toBe(2);
    await otherGateway[Symbol.asyncDispose]();
    await otherServer.close();
  });

  test('session.extend moves the end, notifies all clients and answers', async () => {
    const changed: string[] = [];
    bus.subscribe('session.changed', ({ sessionId }) => changed.push(sessionId));
    const ordered: (string | undefined)[] = [];
    bus.serve('host.orders', 'h1', async ({ orders }) => {
      ordered.push(...orders.map(({ lease }) => lease?.sessionId));
      return {};
    });
    const client = await control();
    sendJson(client, call(1, 'session.extend', { duration: 5 }));
    const expires_at = '1970-01-01T00:31:40.000Z';
    expect(await answerTo(client, 1)).toMatchObject({ result: { expires_at, minutes_reserved: 15 } });
    await until(() =>
      expect(client.texts).toContainEqual({
        jsonrpc: '2.0',
        method: 'session.extended',
        params: { expires_at },
      }),
    );
    await until(() => expect(changed).toEqual(['s1']));
    await until(() => expect(ordered).toEqual(['s1']));
    expect(calls()).toEqual([]);
  });

  test('session.ping is answered without the phone and accepts no parameters', async () => {
    const client = await control();
    sendJson(client, call(1, 'session.ping', {}));
    expect(await answerTo(client, 1)).toMatchObject({ result: null });
    sendJson(client, call(2, 'session.ping', { at: 1 }));
    expect(await answerTo(client, 2)).toMatchObject({ error: { code: -32602 } });
    expect(calls()).toEqual([]);
  });

  test('sends the new deadline to the phone’s host immediately when a session is extended', async () => {
    const orders: BusRequests['host.orders']['request'][] = [];
    bus.serve('host.orders', 'h1', async (request) => {
      orders.push(request);
      return {};
    });
    const client = await control();
    sendJson(client, call(1, 'session.extend', { duration: 5 }));
    await answerTo(client, 1);
    await until(() => expect(orders).toHaveLength(1));
    const lease = { sessionId: 's1', epoch: 7, remainingMs: expect.any(Number), app: null };
    expect(orders[0]).toEqual({ orders: [{ deviceId: 'd1', epoch: 7, cleanEpoch: null, lease }] });
    const { remainingMs } = orders[0]!.orders[0]!.lease!;
    expect(remainingMs).toBeGreaterThan(600_000);
    expect(remainingMs).toBeLessThanOrEqual(900_000);
  });

  test.each([
    [{ why: 'ended' as const }, -32002, { code: 40013 }],
    [{ why: 'too-long' as const, maxMinutes: 480 }, -32602, { code: 40000 }],
    [
      {
        why: 'quota' as const,
        shortfall: { kind: 'minutes' as const, limit: 60, used: 50, requested: 30, resets_at: null },
      },
      -32002,
      { code: 40011, kind: 'minutes', limit: 60, used: 50, requested: 30 },
    ],
  ])('session.extend is rejected: %j', async (refused, code, data) => {
    store.refusal = { ok: false, refusal: refused };
    const client = await control();
    sendJson(client, call(1, 'session.extend', { duration: 30 }));
    expect(await answerTo(client, 1)).toMatchObject({ error: { code, data } });
  });

  test('session.extend is answered with -32002 and 50300 while the store is unavailable, and audited', async () => {
    const client = await control();
    store.away = true;
    sendJson(client, call(1, 'session.extend', { duration: 30 }));
    expect((await answerTo(client, 1)).error).toEqual(STORE_UNAVAILABLE);
    expect(actions('control.extend')).toEqual([-32002]);
  });

  test('session.extend reports that the store is too slow', async () => {
    const client = await control();
    store.extend = () => Promise.reject(new TimeoutError('timed out after 5 s: the database did not answer'));
    sendJson(client, call(1, 'session.extend', { duration: 30 }));
    expect((await answerTo(client, 1)).error).toEqual({
      code: -32002,
      message: 'timed out after 5 s: the database did not answer',
      data: { code: 50300 },
    });
  });

  test('detects an extension that another process made, without a message on the bus', async () => {
    const client = await control();
    store.prolong('s1', 5);
    await until(() =>
      expect(client.texts.at(-1)).toMatchObject({
        method: 'session.extended',
        params: { expires_at: '1970-01-01T00:31:40.000Z' },
      }),
    );
  });

  test('warns the client before the end and sends it the reason at the end', async () => {
    fakeClock();
    store.add({ id: 's2', remainingMs: 50_000 });
    const client = await connect('s2');
    await until(() => expect(client.texts[0]).toMatchObject({ method: 'session.ready' }));
    vi.advanceTimersByTime(40_000);
    await until(() =>
      expect(client.texts[1]).toEqual({
        jsonrpc: '2.0',
        method: 'session.expiring',
        params: { seconds: 10 },
      }),
    );
    store.end('s2', 'device_lost', 'the cable was pulled');
    const closed = { code: 4004, reason: 'the phone was lost: the cable was pulled' };
    await until(() => expect(client.closed).toEqual(closed));
    expect(client.texts.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'session.ended',
      params: { reason: 'device_lost', detail: 'the cable was pulled' },
    });
  });

  test('ends an expired session without the bus and the store, but does not report it as expired', async () => {
    fakeClock();
    store.add({ id: 's2', remainingMs: 60_000 });
    const client = await connect('s2');
    store.away = true;
    await until(() => {
      vi.advanceTimersByTime(10_000);
      expect(client.closed?.code).toBe(1011);
    });
    expect(client.texts.map(({ method }) => method)).not.toContain('session.ended');
  });

  test('delivers no command of one session to the phone of another', async () => {
    store.add({ id: 's2' });
    const [one, two] = [await connect('s1'), await connect('s2')];
    for (const client of [one, two]) await until(() => expect(client.texts.length).toBe(1));
    const got: string[] = [];
    for (const link of agent.links) link.onMessage(() => got.push(link.hello.sessionId));
    one.socket.send(BACK);
    await until(() => expect(got).toEqual(['s1']));
    two.socket.send(BACK);
    await until(() => expect(got).toEqual(['s1', 's2']));
  });

  test('asks clients to reconnect and closes links on shutdown', async () => {
    const client = await control();
    await gateway[Symbol.asyncDispose]();
    await until(() =>
      expect(client.closed).toEqual({ code: 1012, reason: 'the gateway is restarting; reconnect' }),
    );
    await until(() => expect(agent.link.closed).toBe(true));
    await expect(refusal(addressOf(server.origin, 'control', 's1'))).resolves.toMatchObject({ status: 503 });
  });

  test('rejects an upgrade that is in progress during the shutdown', async () => {
    const looked = Promise.withResolvers<void>();
    const found = Promise.withResolvers<KeyRow | null>();
    vi.spyOn(store, 'getKey').mockImplementation(() => {
      looked.resolve();
      return found.promise;
    });
    const refused = refusal(addressOf(server.origin, 'control', 's1'));
    await looked.promise;
    await gateway[Symbol.asyncDispose]();
    found.resolve(null);
    await expect(refused).resolves.toMatchObject({ status: 503 });
    expect(gateway.counters).toMatchObject({ sessions: 0, clients: 0 });
  });
});

describe('the control gateway with other settings', () => {
  afterEach(stop);

  test('closes the link after a delay when its client has disconnected', async () => {
    fakeClock();
    await start({ lingerMs: 60_000 });
    const client = await control();
    const { link } = agent;
    client.socket.close();
    await until(() => expect(gateway.counters.clients).toBe(0));
    expect(link.closed).toBe(false);
    const again = await control();
    expect(agent.links.length).toBe(1);
    again.socket.close();
    await until(() => {
      vi.advanceTimersByTime(60_000);
      expect(link.closed).toBe(true);
    });
    expect(gateway.counters.sessions).toBe(0);
  });

  test('times out calls to a phone that does not answer', async () => {
    await start({ callTiming: { deadlineMs: (method) => (method === 'shell' ? 2_000 : 1_000) } });
    const client = await control();
    sendJson(client, call(1, 'tap', TAP));
    sendJson(client, call(2, 'shell', { command: 'sleep 9' }));
    const started = performance.now();
    expect(await answerTo(client, 1)).toMatchObject({
      error: {
        code: -32002,
        message: 'timed out after 1 s: the phone did not answer; look at its screen before you try again',
      },
    });
    expect(await answerTo(client, 2)).toMatchObject({
      error: {
        code: -32002,
        message: 'timed out after 2 s: the phone did not answer; look at its screen before you try again',
      },
    });
    expect(performance.now() - started).toBeGreaterThan(1500);
    // A failed call has an audit event as well.
    expect(actions('control.shell')).toEqual([-32002]);
    reply({ type: 'result', id: calls()[0]!.id, result: null });
    sendJson(client, call(3, 'fly'));
    await answerTo(client, 3);
    expect(client.texts.filter((text) => text.id === 1).length).toBe(1);
  });

  test('answers excess messages with -32029 and accepts messages again at a lower rate', async () => {
    fakeClock();
    await start({ rate: { perSecond: 0.05, burst: 3 } });
    const client = await control();
    for (let id = 1; id <= 4; id += 1) sendJson(client, call(id, 'fly'));
    client.socket.send(BACK);
    expect(await answerTo(client, 3)).toMatchObject({ error: { code: -32601 } });
    expect(await answerTo(client, 4)).toMatchObject({ error: { code: -32029 } });
    expect(await answerTo(client, null)).toMatchObject({ error: { code: -32029 } });
    expect(agent.received).toEqual([]);
    await until(() => {
      vi.advanceTimersByTime(20_000);
      client.socket.send(BACK);
      expect(agent.received.length).toBeGreaterThan(0);
    });
    expect(client.closed).toBeNull();
  });

  test('bounds the pending calls to the phone', async () => {
    await start();
    const client = await control();
    for (let id = 1; id <= 65; id += 1) sendJson(client, call(id, 'tap', TAP));
    expect(await answerTo(client, 65)).toMatchObject({ error: { code: -32029 } });
    await nextCall(64);
    for (const { id } of calls()) reply({ type: 'result', id, result: null });
    await answerTo(client, 64);
    sendJson(client, call(66, 'tap', TAP));
    await nextCall(65);
  });

  test('disconnects a client that no longer answers pings', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    await start({ pingMs: 60_000 });
    const client = await control();
    client.socket.pause();
    await until(() => {
      vi.advanceTimersByTime(60_000);
      expect(gateway.counters.clients).toBe(0);
    });
  });

  test('lets clients control the phone and notifies them of the end even if half of all messages are lost', async () => {
    const lossy = new LossyBus(new InProcessBus(), { share: 0.5 });
    await start({}, lossy);
    const ids = Array.from({ length: 10 }, (_, n) => `s${n + 1}`);
    for (const id of ids.slice(1)) store.add({ id });
    const all = await Promise.all(ids.map((id) => connect(id)));
    for (const client of all)
      await until(() => expect(client.texts[0]).toMatchObject({ method: 'session.ready' }));
    for (const sessionId of ids) {
      store.end(sessionId, 'admin');
      bus.publish('session.changed', { sessionId, hostId: 'h1', status: 'disconnected', endReason: 'admin' });
    }
    for (const client of all) await until(() => expect(client.closed?.code).toBe(4003));
    expect(lossy.lost).toBeGreaterThan(5);
  });
});
