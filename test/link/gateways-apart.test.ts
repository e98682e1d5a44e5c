import { afterEach, beforeEach, expect, test } from 'vitest';
import { TokenKeys } from '../../src/access/token-keys.ts';
import { Agent } from '../../src/agent/agent.ts';
import { ANY_ADDRESS } from '../../src/bus/bus.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { decodePacket, type StreamPacket } from '../../src/contract/sockets/stream-packets.ts';
import { WebSocketDialer } from '../../src/link/websocket-dialer.ts';
import type { IngestServer } from '../../src/link/websocket-ingest.ts';
import { WebSocketListener } from '../../src/link/websocket-listener.ts';
import { StreamGateway } from '../../src/stream-gateway/stream-gateway.ts';
import { type Log, silentLog } from '../../src/util/log.ts';
import { AppSourceDouble, DriverDouble, PhoneDouble } from '../agent/phone-double.ts';
import { Client, serve, until } from '../gateway/client.ts';
import { FakeStore } from '../gateway/fake-store.ts';
import { addressOf, TOKEN_KEY } from '../gateway/upgrade-suite.ts';
import { promised } from '../nightly.ts';
import { FaultyNetwork } from './faulty-network.ts';
import { openIngest, QUICK } from './ingest-rig.ts';

const PAUSES = { attemptMs: 60_000, minPauseMs: 20, maxPauseMs: 320 };

/** A stream gateway on a separate machine, behind a network that can fail. */
interface Site {
  network: FaultyNetwork;
  ingest: IngestServer;
  gateway: StreamGateway;
  origin: string;
  close(): Promise<void>;
}

let bus: InProcessBus;
let store: FakeStore;
let phone: PhoneDouble;
let agent: Agent;
let sites: Site[];
let viewers: Client[];
let pts: number;
let warnings: string[];

const log: Log = {
  ...silentLog,
  warn: (fields, message) => warnings.push(`${message} ${String((fields as { err?: unknown }).err)}`),
};

async function openSite(): Promise<Site> {
  const network = await FaultyNetwork.start();
  const ingest = await openIngest({ origin: network.origin, limits: { disposeMs: 100 } });
  network.target = ingest.port;
  const gateway = new StreamGateway({
    store,
    bus,
    links: new WebSocketListener(ingest, 'stream', { log: silentLog, keepalive: QUICK }),
    tokenKeys: TokenKeys.of(TOKEN_KEY),
    log,
    options: { lingerMs: 200, keyframeIntervalMs: 20, pollMs: 500, evictionCheckMs: 50, link: PAUSES },
  });
  const server = await serve(gateway);
  const close = async () => {
    await gateway[Symbol.asyncDispose]();
    await ingest[Symbol.asyncDispose]();
    await network[Symbol.asyncDispose]();
    await server.close();
  };
  return { network, ingest, gateway, origin: server.origin, close };
}

beforeEach(async () => {
  bus = new InProcessBus();
  store = new FakeStore();
  store.add({ id: 's1' });
  [phone, viewers, warnings, pts] = [new PhoneDouble(), [], [], 1];
  const lease = { sessionId: 's1', epoch: 7, remainingMs: 600_000, app: null };
  bus.serve('control-plane.report', ANY_ADDRESS, async () => ({
    orders: [{ deviceId: 'phone-1', epoch: 7, cleanEpoch: null, lease }],
  }));
  agent = new Agent({
    hostId: 'h1',
    hostName: 'shelf',
    bus,
    links: new WebSocketDialer({ log: silentLog, keepalive: QUICK }),
    drivers: [new DriverDouble([phone])],
    apps: new AppSourceDouble(),
    log: silentLog,
    idleTimeoutMs: 0,
    heartbeatMs: 50,
  });
  await agent.start();
  await until(() => expect(phone.session).not.toBeNull());
  phone.session!.requestKeyframe = () => emit('keyframe');
  sites = [await openSite(), await openSite()];
});

afterEach(async () => {
  for (const viewer of viewers) viewer.socket.terminate();
  await agent[Symbol.asyncDispose]();
  for (const site of sites) await site.close();
  await bus[Symbol.asyncDispose]();
});

async function watch(site: Site): Promise<Client> {
  const viewer = new Client(addressOf(site.origin, 'stream', 's1'));
  viewers.push(viewer);
  await viewer.opened;
  await until(() => expect(newest(viewer)).toBe(pts));
  return viewer;
}

/** Emits the phone's next frame. The timestamps are consecutive integers, which serve as frame numbers. */
function emit(type: 'keyframe' | 'delta', bytes = 100): void {
  pts += 1;
  phone.session!.emit({ type, pts, data: new Uint8Array(bytes) });
}

const packetsOf = (viewer: Client): StreamPacket[] => viewer.packets.slice(1).map(decodePacket);

/** Returns the number of the newest frame that a viewer has received, or 0 before the first. */
function newest(viewer: Client): number {
  const last = packetsOf(viewer).findLast(({ type }) => type === 'keyframe' || type === 'delta');
  return last && last.type !== 'session' ? last.pts : 0;
}

/** Asserts that the viewer can decode every frame: each delta must follow its predecessor directly. */
function expectNoBrokenFrame(viewer: Client): void {
  let last = Number.NaN;
  let known: string[] = [];
  for (const packet of packetsOf(viewer)) {
    if (packet.type === 'session') known = ['session'];
    else if (packet.type === 'config') known.push('config');
    else {
      if (packet.type === 'delta') expect(packet.pts).toBe(last + 1);
      expect(known).toEqual(['session', 'config']);
      last = packet.pts;
    }
  }
}

const keyframesOf = (viewer: Client) => packetsOf(viewer).filter(({ type }) => type === 'keyframe').length;

test('dials each gateway once regardless of the number of viewers, which all receive the same packets', async () => {
  const [a, b] = sites as [Site, Site];
  await Promise.all([watch(a), watch(a), watch(a), watch(b), watch(b)]);
  for (let n = 0; n < 20; n += 1) emit(n === 10 ? 'keyframe' : 'delta');
  for (const viewer of viewers) await until(() => expect(newest(viewer)).toBe(pts));
  for (const viewer of viewers) {
    expect(viewer.packets).toEqual(viewers[0]!.packets);
    expectNoBrokenFrame(viewer);
  }
  expect([a.network.accepted, b.network.accepted]).toEqual([1, 1]);
});

test('sends nothing to a gateway without viewers', async () => {
  const [a, b] = sites as [Site, Site];
  const [leaving, staying] = [await watch(a), await watch(b)];
  expect(a.network.open).toBe(1);
  leaving.socket.close();
  await until(() => expect(a.network.open).toBe(0));
  emit('delta');
  await until(() => expect(newest(staying)).toBe(pts));
  expect([a.network.accepted, b.network.open]).toEqual([1, 1]);
  await watch(a);
  expect(a.network.accepted).toBe(2);
});

test('does not affect viewers of one gateway when another disconnects', async () => {
  const [a, b] = sites as [Site, Site];
  const [lost, other] = [await watch(a), await watch(b)];
  const before = keyframesOf(other);
  for (let n = 0; n < 60; n += 1) {
    if (n === 20) a.network.cut();
    emit('delta', 20_000);
    await until(() => expect(newest(other)).toBe(pts));
  }
  expectNoBrokenFrame(other);
  expect(keyframesOf(other)).toBe(before);
  expect([b.network.accepted, other.closed, lost.closed]).toEqual([1, null, null]);
});

test('redials a lost link with growing delays, and the video recovers completely', async () => {
  const [a] = sites as [Site, Site];
  const viewer = await watch(a);
  emit('delta');
  a.network.cut();
  const started = performance.now();
  await until(() => expect(a.network.refused).toBeGreaterThanOrEqual(5));
  // The backoff takes at least 20 + 40 + 80 + 160 ms.
  expect(performance.now() - started).toBeGreaterThan(300);
  for (let n = 0; n < 5; n += 1) emit('delta');
  a.network.heal();
  await until(() => expect(newest(viewer)).toBe(pts));
  emit('delta');
  await until(() => expect(newest(viewer)).toBe(pts));
  expectNoBrokenFrame(viewer);
  expect(viewer.closed).toBeNull();
});

test('a stalled gateway delays no other, is disconnected, and recovers when it is back', async () => {
  const [a, b] = sites as [Site, Site];
  const [stalled, other] = [await watch(a), await watch(b)];
  a.network.discardData();
  const delays: number[] = [];
  const deadline = performance.now() + 60_000;
  // Sends until the stalled gateway is evicted, which happens when its queue is full.
  for (let n = 0; n < 100 || (a.network.accepted === 1 && performance.now() < deadline); n += 1) {
    const sentAt = performance.now();
    emit(n % 30 === 0 ? 'keyframe' : 'delta', 64 * 1024);
    await until(() => expect(newest(other)).toBe(pts));
    delays.push(performance.now() - sentAt);
  }
  expectNoBrokenFrame(other);
  expect(delays.toSorted((x, y) => x - y)[50]).toBeLessThan(promised(300));
  a.network.heal();
  emit('keyframe');
  await until(() => expect(newest(stalled)).toBe(pts));
  expectNoBrokenFrame(stalled);
  expect(a.network.accepted).toBeGreaterThan(1);
  expect(b.network.accepted).toBe(1);
});

test('the shutdown of the agent closes its links, and its viewers wait for the next one', async () => {
  const [a, b] = sites as [Site, Site];
  const both = [await watch(a), await watch(b)];
  await agent[Symbol.asyncDispose]();
  await until(() => expect([a.network.open, b.network.open]).toEqual([0, 0]));
  expect(both.map(({ closed }) => closed)).toEqual([null, null]);
});

test('a gateway that its hosts cannot reach logs this once, with the hosts’ error', async () => {
  const [a] = sites as [Site, Site];
  a.network.cut();
  const viewer = new Client(addressOf(a.origin, 'stream', 's1'));
  viewers.push(viewer);
  await until(() => expect(a.network.refused).toBeGreaterThan(11));
  expect(warnings).toEqual([expect.stringMatching(/no link from its host.*127\.0\.0\.1:\d+ /)]);
});
