import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { ANY_ADDRESS } from '../../src/bus/bus.ts';
import { silentLog } from '../../src/util/log.ts';
import { PauseWatch } from '../../src/util/pause-watch.ts';
import { freePort } from '../fixtures/free-port.ts';
import { startNats } from '../fixtures/nats.ts';
import { FaultyNetwork } from '../link/faulty-network.ts';
import { promised } from '../nightly.ts';
import { connectBus, roundTrip } from './nats-rig.ts';
import { changed, dial, kindOf, report } from './samples.ts';

const within = { timeout: 60_000, interval: 20 };

test('an outage fails new and pending requests immediately and loses published messages, and the bus recovers', async () => {
  await using server = await startNats();
  await using near = await connectBus(server);
  await using far = await connectBus(server);
  const got: string[] = [];
  far.subscribe('session.changed', ({ sessionId }) => got.push(sessionId));
  far.serve('host.dial', 'h1', ({ sessionId }) =>
    sessionId === 'never' ? new Promise(() => {}) : Promise.resolve({}),
  );
  await roundTrip(near, far);

  const underWay = kindOf(near.request('host.dial', 'h1', dial('never'), { timeoutMs: 60_000 }));
  await roundTrip(near);
  const killed = performance.now();
  expect(near.isUp).toBe(true);
  await server.kill();
  expect(await underWay).toBe('unreachable');
  expect(near.isUp).toBe(false);
  expect(await kindOf(near.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 }))).toBe('unreachable');
  expect(performance.now() - killed).toBeLessThan(promised(10_000));
  near.publish('session.changed', changed('stale'));
  expect(near.counts.unsent).toBe(1);

  await server.resume();
  await vi.waitFor(() => roundTrip(near, far), within);
  expect(near.isUp).toBe(true);
  near.publish('session.changed', changed('fresh'));
  await vi.waitFor(() => expect(got).toEqual(['fresh']), within);
  await expect(near.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 })).resolves.toEqual({});
});

test('detects a server that stops reading, regardless of how much data is in flight', async () => {
  await using server = await startNats();
  await using bus = await connectBus(server);
  const got: string[] = [];
  bus.subscribe('session.changed', ({ sessionId }) => got.push(sessionId));
  bus.serve('host.dial', 'h1', () => new Promise(() => {}));
  await roundTrip(bus);
  const underWay = kindOf(bus.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 }));
  await server.pause();
  const paused = performance.now();
  const filler = { ...changed('filler'), filler: 'x'.repeat(500_000) };
  for (let n = 0; n < 60; n++) bus.publish('session.changed', filler);
  expect(bus.counts.unsent).toBeGreaterThan(20);
  expect(await kindOf(bus.request('host.dial', 'h1', dial('s'.repeat(128)), { timeoutMs: 60_000 }))).toBe(
    'unreachable',
  );
  expect(await underWay).toBe('unreachable');
  expect(performance.now() - paused).toBeLessThan(promised(9_000));
  server.unpause();
  await vi.waitFor(() => roundTrip(bus), within);
  got.length = 0;
  bus.publish('session.changed', changed('fresh'));
  await vi.waitFor(() => expect(got).toContain('fresh'), within);
});

test('replaces a stalled connection instead of waiting for it', async () => {
  await using server = await startNats();
  await using network = await FaultyNetwork.start();
  network.target = server.port;
  await using bus = await connectBus({ url: network.origin.replace('wss:', 'nats:') });
  await roundTrip(bus);
  expect(network.accepted).toBe(1);
  network.discardData();
  const filler = { ...changed('filler'), filler: 'x'.repeat(500_000) };
  for (let n = 0; n < 60; n++) bus.publish('session.changed', filler);
  await vi.waitFor(() => expect(network.accepted).toBeGreaterThan(1), within);
  network.heal();
  await vi.waitFor(() => roundTrip(bus), within);
});

test('reconnects a host within seconds if the server did not notice that its connection died', async () => {
  await using server = await startNats();
  await using network = await FaultyNetwork.start();
  network.target = server.port;
  await using control = await connectBus(server);
  await using host = await connectBus({ url: network.origin.replace('wss:', 'nats:') }, { hostId: 'h1' });
  host.serve('host.dial', 'h1', async () => ({}));
  await roundTrip(host);
  network.stall();
  const stalled = performance.now();
  const ask = (timeoutMs: number) => kindOf(control.request('host.dial', 'h1', dial('s'), { timeoutMs }));
  await vi.waitFor(async () => expect(await ask(1_000)).toBe('answered'), within);
  // The client sends three pings, 1 s apart, without a response. Then it reconnects.
  expect(performance.now() - stalled).toBeLessThan(promised(10_000));
  for (let n = 0; n < 10; n++) expect(await ask(promised(1_000))).toBe('answered');
});

test('reaches a host through another node of the cluster within seconds after its node stops', async () => {
  const routes = [await freePort(), await freePort()];
  const cluster = (index: number) => `
    server_name: n${index}
    cluster {
      name: test
      listen: "127.0.0.1:${routes[index]}"
      routes: [${routes.map((port) => `"nats://127.0.0.1:${port}"`).join(', ')}]
    }`;
  await using near = await startNats(cluster(0));
  await using far = await startNats(cluster(1));
  await using control = await connectBus(near);
  control.serve('control-plane.report', ANY_ADDRESS, async () => ({ orders: [] }));
  // The host learns of the other node from its own node.
  await using host = await connectBus(far, { hostId: 'h1' });
  host.serve('host.dial', 'h1', async () => ({}));
  const ask = (timeoutMs: number) => kindOf(control.request('host.dial', 'h1', dial('s'), { timeoutMs }));
  const tell = () => kindOf(host.request('control-plane.report', 'h1', report(), { timeoutMs: 1_000 }));
  await vi.waitFor(async () => {
    expect(await ask(1_000)).toBe('answered');
    expect(await tell()).toBe('answered');
  }, within);
  await far.pause();
  const paused = performance.now();
  // A request of the other direction is lost if it arrives before the host has subscribed at the other node.
  await vi.waitFor(async () => {
    expect(await tell()).toBe('answered');
    expect(await ask(1_000)).toBe('answered');
  }, within);
  expect(performance.now() - paused).toBeLessThan(promised(8_000));
  for (let n = 0; n < 5; n++) expect(await ask(promised(2_000))).toBe('answered');
});

test('limits the requests of one address so that other addresses are served', async () => {
  await using server = await startNats();
  await using busy = await connectBus(server, { maxServingPerShare: 2 });
  await using requester = await connectBus(server);
  const { promise: done, resolve: finish } = Promise.withResolvers<{ orders: [] }>();
  busy.serve('control-plane.report', ANY_ADDRESS, (_report, hostId) =>
    hostId === 'h1' ? done : Promise.resolve({ orders: [] }),
  );
  await roundTrip(busy);
  const ask = (hostId: string) =>
    requester.request('control-plane.report', hostId, report(), { timeoutMs: 60_000 });
  const first = [ask('h1'), ask('h1')];
  await roundTrip(requester);
  await expect(ask('h1')).rejects.toThrow('2 requests of h1 are already being served');
  await expect(ask('h2')).resolves.toEqual({ orders: [] });
  finish({ orders: [] });
  await Promise.all(first);
  await expect(ask('h1')).resolves.toEqual({ orders: [] });
});

test('limits the requests for one session so that a host serves its other sessions', async () => {
  await using server = await startNats();
  await using busy = await connectBus(server, { maxServingPerShare: 2 });
  await using requester = await connectBus(server);
  const { promise: done, resolve: finish } = Promise.withResolvers<Record<string, never>>();
  busy.serve('host.dial', 'h1', ({ sessionId }) => (sessionId === 's1' ? done : Promise.resolve({})));
  await roundTrip(busy);
  const ask = (sessionId: string) =>
    requester.request('host.dial', 'h1', dial(sessionId), { timeoutMs: 60_000 });
  const first = [ask('s1'), ask('s1')];
  await roundTrip(requester);
  await expect(ask('s1')).rejects.toThrow('2 requests of session s1 are already being served');
  await expect(ask('s2')).resolves.toEqual({});
  finish({});
  await Promise.all(first);
  await expect(ask('s1')).resolves.toEqual({});
});

test('skips requests that expired while the process was suspended and serves later ones', async () => {
  await using server = await startNats();
  const clock = { ms: 0 };
  await using stopped = await connectBus(server, { pauses: new PauseWatch([() => clock.ms]) });
  await using near = await connectBus(server);
  const served: string[] = [];
  stopped.serve('host.dial', 'h1', async ({ sessionId }) => {
    served.push(sessionId);
    return {};
  });
  await roundTrip(stopped);
  const ask = (what: string, timeoutMs = 60_000) =>
    near.request('host.dial', 'h1', dial(what), { timeoutMs });
  await ask('before');
  clock.ms += 30_000;
  expect(await kindOf(ask('meanwhile', 300))).toBe('timeout');
  await ask('after');
  expect(served).toEqual(['before', 'after']);
  expect(stopped.counts.refused).toBe(1);
  clock.ms += 30_000;
  // A host reports first after a pause. Its own request makes it catch up with the server, so it does not reject any
  // requests to it after that.
  await roundTrip(stopped, stopped);
  await ask('after its report');
  expect(served).toEqual(['before', 'after', 'after its report']);
});

test('closes immediately during an outage and leaves no handles behind', async () => {
  await using server = await startNats();
  const bus = await connectBus(server);
  await server.pause();
  await vi.waitFor(async () => {
    expect(await kindOf(bus.request('host.orders', 'h1', { orders: [] }, { timeoutMs: 100 }))).toBe(
      'unreachable',
    );
  }, within);
  const closing = performance.now();
  await bus[Symbol.asyncDispose]();
  expect(performance.now() - closing).toBeLessThan(promised(5_000));
});

test('waits at startup for a server that becomes available, and otherwise fails with a one-line error', async () => {
  await using server = await startNats();
  await server.kill();
  const message = `cannot connect to a NATS server at ${server.url} within 0.3 s: connection refused; check PHONEBOOTH_NATS_URL`;
  // On a machine that stands still, the last attempt may time out.
  await vi.waitFor(
    () =>
      expect(connectBus(server, { connectTimeoutMs: 300 })).rejects.toMatchObject({
        ...{ kind: 'unreachable', message },
      }),
    within,
  );
  const logged: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void logged.push(message) };
  const starting = connectBus(server, { connectTimeoutMs: 60_000, log });
  const connecting = connectBus(server, { connectTimeoutMs: null, log });
  const waiting = () => logged.filter((message) => message.startsWith('cannot connect to a NATS server'));
  await vi.waitFor(() => expect(waiting()).toHaveLength(1), within);
  // Long enough for several more attempts.
  await delay(400);
  await server.resume();
  await using bus = await starting;
  await using other = await connecting;
  await roundTrip(bus, other);
  expect(waiting()).toEqual([`cannot connect to a NATS server at ${server.url} yet; retrying`]);
});

test('rejects a request or an answer above the server’s size limit and reports its size', async () => {
  await using server = await startNats('max_payload: 4096');
  await using bus = await connectBus(server);
  const orders = Array.from({ length: 200 }, (_, n) => ({
    deviceId: `d${n}`,
    epoch: 1,
    cleanEpoch: null,
    lease: null,
  }));
  bus.serve('control-plane.report', ANY_ADDRESS, async () => ({ orders }));
  const ask = (hostName: string) =>
    bus.request('control-plane.report', 'h1', { ...report(hostName), phones: [] }, { timeoutMs: 60_000 });
  await expect(ask('h')).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(
      /^the answer is \d+ bytes, which exceeds max_payload of the NATS server \(4096 bytes\); raise it$/,
    ),
  });
  await expect(ask('h'.repeat(5_000))).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(
      /^control-plane\.report at h1 is 50\d\d bytes, which exceeds max_payload of the NATS server \(4096 bytes\)/,
    ),
  });
  await roundTrip(bus);
});

test('bounds the pending requests and the requests being served', async () => {
  await using server = await startNats();
  await using requester = await connectBus(server, { maxRequests: 3 });
  await using busy = await connectBus(server, { maxServing: 1 });
  const { promise: done, resolve: finish } = Promise.withResolvers<Record<string, never>>();
  busy.serve('host.dial', 'h1', () => done);
  await roundTrip(busy);
  const ask = () => requester.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 });
  const first = ask();
  await roundTrip(requester);
  await expect(ask()).rejects.toThrow('1 requests are already being served');
  const more = [ask(), ask()].map((each) => each.catch(() => {}));
  await expect(ask()).rejects.toThrow('3 requests are already in progress');
  finish({});
  await Promise.all([first, ...more]);
});
