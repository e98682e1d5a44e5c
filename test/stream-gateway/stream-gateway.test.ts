import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { TokenKeys } from '../../src/access/token-keys.ts';
import type { Bus } from '../../src/bus/bus.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { encodePacket } from '../../src/contract/sockets/stream-packets.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import { StreamGateway, type StreamGatewayOptions } from '../../src/stream-gateway/stream-gateway.ts';
import type { Log } from '../../src/util/log.ts';
import { LossyBus } from '../bus/lossy-bus.ts';
import { AgentDouble } from '../gateway/agent-double.ts';
import { Client, fakeClock, refusal, serve, until } from '../gateway/client.ts';
import { FakeStore } from '../gateway/fake-store.ts';
import { addressOf, ORIGINS, TOKEN_KEY, upgradeSuite } from '../gateway/upgrade-suite.ts';
import { promised } from '../nightly.ts';

const SIZE = encodePacket({ type: 'session', width: 540, height: 1170 });
const CONFIG = encodePacket({ type: 'config', pts: 0, data: Uint8Array.of(0, 0, 0, 1, 0x67) });
const media = (type: 'keyframe' | 'delta', pts: number, bytes = 3) =>
  encodePacket({ type, pts, data: new Uint8Array(bytes) });
const PREAMBLE_V4 = Uint8Array.of(0x68, 0x32, 0x36, 0x34);
const KEYFRAME_REQUEST = '{"type":"keyframe"}';

let bus: Bus;
let links: InProcessLinks;
let store: FakeStore;
let agent: AgentDouble;
let gateway: StreamGateway;
let server: Awaited<ReturnType<typeof serve>>;
let clients: Client[];
let log: string[];

async function start(options: Partial<StreamGatewayOptions> = {}, theBus: Bus = new InProcessBus()) {
  bus = theBus;
  links = new InProcessLinks();
  store = new FakeStore();
  store.add({ id: 's1' });
  agent = new AgentDouble(bus, links);
  agent.onLink = (link) => {
    for (const packet of [SIZE, CONFIG, media('keyframe', 1)]) link.send(packet.slice());
  };
  clients = [];
  log = [];
  const keep = (fields: object, message: string) => log.push(`${JSON.stringify(fields)} ${message}`);
  const keeping: Log = { debug: keep, info: keep, warn: keep, error: keep };
  gateway = new StreamGateway({
    store,
    bus,
    links: links.listen('stream'),
    tokenKeys: TokenKeys.of(TOKEN_KEY),
    log: keeping,
    allowedOrigins: ORIGINS,
    options: {
      keyframeIntervalMs: 20,
      lingerMs: 50,
      pollMs: 100,
      grantPollMs: 20,
      link: { attemptMs: 200, minPauseMs: 5, maxPauseMs: 50 },
      ...options,
    },
  });
  server = await serve(gateway);
}

async function stop() {
  for (const client of clients) client.socket.terminate();
  await gateway[Symbol.asyncDispose]();
  await server.close();
  await bus[Symbol.asyncDispose]();
}

async function watch(sessionId = 's1', protocols?: string[]): Promise<Client> {
  const client = new Client(addressOf(server.origin, 'stream', sessionId), protocols);
  clients.push(client);
  await client.opened;
  return client;
}

const requests = () => agent.received.filter((message) => message === KEYFRAME_REQUEST).length;

describe('the stream gateway', () => {
  beforeEach(() => start());
  afterEach(stop);

  upgradeSuite('stream', () => ({ origin: server.origin, store }));

  test('sends the preamble and then the packets to a viewer, byte for byte', async () => {
    const viewer = await watch();
    await until(() => expect(viewer.packets).toEqual([PREAMBLE_V4, SIZE, CONFIG, media('keyframe', 1)]));
    agent.link.send(media('delta', 2));
    await until(() => expect(viewer.packets.at(-1)).toEqual(media('delta', 2)));
    expect(viewer.socket.protocol).toBe('');
    expect(gateway.counters).toMatchObject({ sessions: 1, viewers: 1, frames: 2, tooSlow: 0 });
  });

  test('supports the older layout: one preamble with the size, other flags, no session packets', async () => {
    const viewer = await watch('s1', ['scrcpy.v3']);
    expect(viewer.socket.protocol).toBe('scrcpy.v3');
    await until(() =>
      expect(viewer.packets.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual([
        '68323634' + '0000021c' + '00000492',
        '8000000000000000' + '00000005' + '0000000167',
        '4000000000000001' + '00000003' + '000000',
      ]),
    );
  });

  test('prefers v4 among several subprotocols', async () => {
    const viewer = await watch('s1', ['unknown', 'scrcpy.v3', 'scrcpy.v4']);
    expect(viewer.socket.protocol).toBe('scrcpy.v4');
  });

  test('replays the current GOP to a late joiner immediately without a keyframe request', async () => {
    const first = await watch();
    await until(() => expect(first.packets.length).toBe(4));
    const [keyframe, delta] = [media('keyframe', 5), media('delta', 6)];
    agent.link.send(keyframe);
    agent.link.send(delta);
    await until(() => expect(first.packets.length).toBe(6));
    const second = await watch();
    await until(() => expect(second.packets).toEqual([PREAMBLE_V4, SIZE, CONFIG, keyframe, delta]));
    expect(agent.links.length).toBe(1);
    expect(requests()).toBe(0);
  });

  test('requests a keyframe for a late joiner if no GOP is cached', async () => {
    const first = await watch();
    await until(() => expect(first.packets.length).toBe(4));
    for (let n = 0; n < 3; n += 1) agent.link.send(media('delta', 2 + n, 900_000));
    await until(() => expect(first.packets.length).toBe(7));
    expect(requests()).toBe(0);
    const second = await watch();
    await until(() => expect(requests()).toBeGreaterThan(0));
    agent.link.send(media('keyframe', 9));
    await until(() => expect(second.packets).toEqual([PREAMBLE_V4, SIZE, CONFIG, media('keyframe', 9)]));
  });

  test('keeps a viewer of a connecting session waiting until the stream begins', async () => {
    store.add({ id: 's2', status: 'connecting', connectedAt: null });
    agent.dials = false;
    const viewer = await watch('s2');
    await until(() => expect(agent.asked.length).toBeGreaterThan(2));
    expect(viewer.packets.slice(1)).toEqual([]);
    agent.dials = true;
    store.change('s2', { status: 'connected' });
    await until(() => expect(viewer.packets.length).toBe(4));
    const tickets = agent.asked.map((each) => each.ticket);
    expect(new Set(tickets).size).toBe(tickets.length);
    expect(agent.asked[0]).toMatchObject({
      sessionId: 's2',
      epoch: 7,
      purpose: 'stream',
      ingest: 'in-process:stream',
    });
  });

  test.each([
    ['an older epoch', { epoch: 6 }],
    ['another session', { sessionId: 's2' }],
    ['another purpose', { purpose: 'control' as const }],
    ['another ticket', { ticket: 'x'.repeat(43) }],
  ])('rejects a link of %s', async (_, change) => {
    agent.alter = (hello) => ({ ...hello, ...change });
    const viewer = await watch();
    await until(() => expect(agent.refusals.length).toBeGreaterThan(0));
    expect(agent.links).toEqual([]);
    agent.alter = (hello) => hello;
    await until(() => expect(viewer.packets.length).toBe(4));
  });

  test('accepts a ticket for one link', async () => {
    const viewer = await watch();
    await until(() => expect(viewer.packets.length).toBe(4));
    const { ingest, ...hello } = agent.asked[0]!;
    await expect(links.dial(ingest, hello)).rejects.toThrow('rejected the link');
  });

  test('keeps viewers when the link is lost, and resumes at a keyframe', async () => {
    const viewer = await watch();
    await until(() => expect(viewer.packets.length).toBe(4));
    agent.link.close();
    await until(() => expect(viewer.packets.length).toBe(7));
    expect(viewer.packets.slice(4)).toEqual([SIZE, CONFIG, media('keyframe', 1)]);
    expect(agent.links.length).toBe(2);
    expect(viewer.closed).toBeNull();
  });

  test('closes the link of an agent that sends invalid packets, and requests a new one', async () => {
    const viewer = await watch();
    await until(() => expect(viewer.packets.length).toBe(4));
    agent.link.send(Uint8Array.of(1, 2, 3));
    await until(() => expect(agent.links.length).toBe(2));
    await until(() => expect(viewer.packets.length).toBe(7));
  });

  test.each([
    ['client', 1000],
    ['expired', 4001],
    ['idle', 4002],
    ['admin', 4003],
    ['host_lost', 4004],
    ['start_timeout', 4005],
  ] as const)('closes the viewers of a session that ended as %s with %i', async (reason, code) => {
    const viewers = [await watch(), await watch('s1', ['scrcpy.v3'])];
    store.end('s1', reason, 'its key was revoked');
    bus.publish('session.changed', {
      sessionId: 's1',
      hostId: 'h1',
      status: 'disconnected',
      endReason: reason,
    });
    for (const viewer of viewers) await until(() => expect(viewer.closed?.code).toBe(code));
    expect(viewers[0]!.closed!.reason).toMatch(/^(the|nobody).*: its key was revoked$/);
    await until(() => expect(gateway.counters.sessions).toBe(0));
  });

  test('detects the end of a session without a message on the bus', async () => {
    const viewer = await watch();
    store.end('s1', 'client');
    await until(() => expect(viewer.closed?.code).toBe(1000));
  });

  test('ends an expired session while the store is unavailable', async () => {
    fakeClock();
    store.add({ id: 's2', remainingMs: 60_000 });
    const viewer = await watch('s2');
    store.away = true;
    await until(() => {
      vi.advanceTimersByTime(10_000);
      expect(viewer.closed?.code).toBe(1011);
    });
  });

  test('ends no session during a short store outage', async () => {
    const viewer = await watch();
    store.away = true;
    await until(() => expect(log.join()).toContain('sessions could not be looked up'));
    store.away = false;
    await until(() => expect(log.join()).toContain('store is available again'));
    expect(viewer.closed).toBeNull();
  });

  test('continues an extended session past its original end', async () => {
    fakeClock();
    store.add({ id: 's2', remainingMs: 60_000 });
    const viewer = await watch('s2');
    store.prolong('s2', 1);
    vi.advanceTimersByTime(65_000);
    const reads = vi.spyOn(store, 'getSessions');
    await until(() => expect(reads.mock.calls.length).toBeGreaterThan(2));
    expect(viewer.closed).toBeNull();
  });

  test('closes a viewer that sends anything other than a keyframe request', async () => {
    for (const message of ['hello', Uint8Array.of(16), Uint8Array.of(17, 17)]) {
      const viewer = await watch();
      viewer.socket.send(message);
      await until(() => expect(viewer.closed?.code).toBe(1008));
    }
    const loud = await watch();
    loud.socket.send(new Uint8Array(2000));
    await until(() => expect(loud.closed?.code).toBe(1009));
  });

  test('answers a keyframe request, and closes a viewer that sends too many', async () => {
    fakeClock();
    const viewer = await watch();
    await until(() => expect(viewer.packets).toHaveLength(4));
    viewer.socket.send(Uint8Array.of(17));
    await until(() => expect(requests()).toBe(1));
    for (let n = 0; n < 30; n += 1) viewer.socket.send(Uint8Array.of(17));
    await until(() =>
      expect(viewer.closed).toMatchObject({
        code: 1008,
        reason: 'too many keyframe requests; send at most one a second',
      }),
    );
    expect(requests()).toBe(1);
  });

  test('delivers no byte of one session to a viewer of another', async () => {
    store.add({ id: 's2' });
    const [one, two] = [await watch('s1'), await watch('s2')];
    await until(() => expect([one.packets.length, two.packets.length]).toEqual([4, 4]));
    const linkOf = (id: string) => agent.links.find((link) => link.hello.sessionId === id)!;
    linkOf('s1').send(media('delta', 111));
    linkOf('s2').send(media('delta', 222));
    await until(() => expect(one.packets.slice(4)).toEqual([media('delta', 111)]));
    await until(() => expect(two.packets.slice(4)).toEqual([media('delta', 222)]));
  });

  test('never logs the token', async () => {
    const [, , token] = new URL(addressOf(server.origin, 'stream', 's1')).pathname.split('/');
    store.away = true;
    await refusal(addressOf(server.origin, 'stream', 's1'));
    store.away = false;
    agent.dials = false;
    await watch();
    await until(() => expect(agent.asked.length).toBeGreaterThan(1));
    expect(log.length).toBeGreaterThan(0);
    expect(log.join('\n')).not.toContain(token);
  });

  test('asks viewers to reconnect and closes links on shutdown', async () => {
    const viewer = await watch();
    await until(() => expect(viewer.packets.length).toBe(4));
    await gateway[Symbol.asyncDispose]();
    await until(() =>
      expect(viewer.closed).toEqual({ code: 1012, reason: 'the gateway is restarting; reconnect' }),
    );
    await until(() => expect(agent.link.closed).toBe(true));
    await expect(refusal(addressOf(server.origin, 'stream', 's1'))).resolves.toMatchObject({ status: 503 });
  });
});

describe('the stream gateway with other settings', () => {
  afterEach(stop);

  test('closes the link after a delay when its last viewer has disconnected', async () => {
    fakeClock();
    await start({ lingerMs: 60_000 });
    const viewer = await watch();
    await until(() => expect(viewer.packets.length).toBe(4));
    const { link } = agent;
    viewer.socket.close();
    await until(() => expect(gateway.counters.viewers).toBe(0));
    expect(link.closed).toBe(false);
    const again = await watch();
    await until(() => expect(again.packets.length).toBe(4));
    expect(agent.links.length).toBe(1);
    again.socket.close();
    await until(() => {
      vi.advanceTimersByTime(60_000);
      expect(link.closed).toBe(true);
    });
    expect(gateway.counters).toMatchObject({ sessions: 0, viewers: 0 });
  });

  test('limits the viewers of a session', async () => {
    await start({ maxViewersPerSession: 2 });
    const first = await watch();
    await watch();
    const answer = await refusal(addressOf(server.origin, 'stream', 's1'));
    expect(answer).toMatchObject({ status: 503, body: { code: 50300 } });
    expect(answer.body.message).toContain('2 viewers');
    first.socket.close();
    await until(() => expect(gateway.counters.viewers).toBe(1));
    await watch();
  });

  test('limits the viewers of a session that connect while the store is slow', async () => {
    await start({ maxViewersPerSession: 2 });
    const answered = Promise.withResolvers<void>();
    let waiting = 0;
    store.validGrants = async (ids) => {
      waiting += 1;
      await answered.promise;
      return ids;
    };
    clients = Array.from({ length: 6 }, () => new Client(addressOf(server.origin, 'stream', 's1')));
    await until(() => expect(waiting).toBe(6));
    answered.resolve();
    const outcomes = await Promise.allSettled(clients.map(({ opened }) => opened));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  test('disconnects a viewer that no longer answers pings, and no other', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    await start({ pingMs: 60_000 });
    const [dead, alive] = [await watch(), await watch()];
    dead.socket.pause();
    for (let pings = 0; pings < 3; pings += 1) {
      const pinged = once(alive.socket, 'ping');
      vi.advanceTimersByTime(60_000);
      await pinged;
      // The answer to this ping follows the gateway's receipt of the other's answer.
      const answered = once(alive.socket, 'pong');
      alive.socket.ping();
      await answered;
    }
    await until(() => expect(gateway.counters.viewers).toBe(1));
    expect(alive.closed).toBeNull();
  });

  test('closes a repeatedly slow viewer with 4008 without affecting others', async () => {
    await start({
      tooSlowMs: 400,
      evictionCheckMs: 100,
      keyframeIntervalMs: 50,
      queue: { maxBytes: 1 << 20 },
    });
    const [slow, fast] = [await watch(), await watch()];
    await until(() => expect(fast.packets.length).toBe(4));
    slow.socket.pause();
    const delays: number[] = [];
    for (let n = 0; gateway.counters.tooSlow === 0 && n < 2000; n += 1) {
      const packet = media(n % 20 === 0 ? 'keyframe' : 'delta', 10 + n, 64 * 1024);
      const sentAt = performance.now();
      agent.link.send(packet);
      await until(() => expect(fast.packets.length).toBe(5 + n));
      delays.push(performance.now() - sentAt);
    }
    expect(gateway.counters).toMatchObject({ tooSlow: 1, viewers: 1 });
    expect(gateway.counters.droppedGroups).toBeGreaterThan(0);
    expect(delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.9)]).toBeLessThan(promised(250));
    slow.socket.resume();
    await until(() => expect(slow.closed).not.toBeNull());
    expect(fast.closed).toBeNull();
  });

  test('resumes at a keyframe with size and config for a slow viewer that catches up', async () => {
    await start({ queue: { maxBytes: 256 * 1024, sinkBytes: 64 * 1024 }, tooSlowMs: 600_000 });
    const viewer = await watch();
    await until(() => expect(viewer.packets.length).toBe(4));
    viewer.socket.pause();
    for (let n = 0; gateway.counters.droppedGroups === 0; n += 1) {
      agent.link.send(media('delta', 10 + n, 64 * 1024));
      await until(() => expect(agent.link.bufferedBytes).toBe(0));
    }
    expect(requests()).toBe(0);
    viewer.socket.resume();
    await until(() => expect(requests()).toBeGreaterThan(0));
    agent.link.send(media('keyframe', 99_999));
    await until(() => expect(viewer.packets.slice(-3)).toEqual([SIZE, CONFIG, media('keyframe', 99_999)]));
  });

  test('repeats a keyframe request on an unchanging screen until the keyframe arrives', async () => {
    await start({ evictionCheckMs: 50 });
    agent.onLink = (link) => {
      for (const packet of [SIZE, CONFIG]) link.send(packet);
    };
    const viewer = await watch();
    await until(() => expect(requests()).toBeGreaterThan(2));
    agent.link.send(media('keyframe', 1));
    await until(() => expect(viewer.packets).toEqual([PREAMBLE_V4, SIZE, CONFIG, media('keyframe', 1)]));
  });

  test('merges keyframe requests', async () => {
    await start({ keyframeIntervalMs: 300 });
    agent.onLink = (link) => {
      for (const packet of [SIZE, CONFIG]) link.send(packet);
    };
    const started = performance.now();
    await Promise.all(Array.from({ length: 10 }, () => watch()));
    await until(() => expect(agent.links.length).toBe(1));
    for (let n = 0; n < 30; n += 1) agent.link.send(media('delta', n));
    await until(() => expect(requests()).toBeGreaterThan(0));
    expect(requests()).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - started) / 300));
  });

  test('delivers the stream and the end of the session even if half of all messages are lost', async () => {
    const lossy = new LossyBus(new InProcessBus(), { share: 0.5 });
    await start({}, lossy);
    for (let n = 2; n <= 12; n += 1) store.add({ id: `s${n}` });
    const viewers = await Promise.all(Array.from({ length: 12 }, (_, n) => watch(`s${n + 1}`)));
    for (const viewer of viewers) await until(() => expect(viewer.packets.length).toBeGreaterThanOrEqual(4));
    for (let n = 1; n <= 12; n += 1) {
      store.end(`s${n}`, 'client');
      bus.publish('session.changed', {
        sessionId: `s${n}`,
        hostId: 'h1',
        status: 'disconnected',
        endReason: 'client',
      });
    }
    for (const viewer of viewers) await until(() => expect(viewer.closed?.code).toBe(1000));
    expect(lossy.lost).toBeGreaterThan(5);
  });
});
