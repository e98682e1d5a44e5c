import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Artifact } from '../../src/contract/http/artifact.ts';
import { type Api, type App, type Session, succeeded } from '../black-box/kit/api.ts';
import { connected, listAll } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until, within } from '../black-box/kit/wait.ts';
import { makeApk } from '../fixtures/apk.ts';
import { clockOff } from '../fixtures/clock.ts';
import { type Fleet, type FleetProcess, startFleet } from '../fixtures/fleet.ts';
import { runCommand } from '../fixtures/service.ts';
import { isNightly, promised } from '../nightly.ts';
import { Acknowledged } from './acknowledged.ts';
import { Borrowers } from './borrowers.ts';
import { apiAt, at, available, intact, trustOf } from './fleet-rig.ts';
import { StubbornGateway } from './stubborn-gateway.ts';

// The second process of each role has a shifted wall clock, so that the following tests run with clocks ten minutes
// apart.
const AHEAD = clockOff(300);
const BEHIND = clockOff(-300);
const SEED = Math.floor(Math.random() * 2 ** 32);

/**
 * Number of frames that a still screen may send during a test, because the phone's clock shows minutes. A swipe sends
 * many more.
 */
const CLOCK_TICKS = 1;

let fleet: Fleet;
let members: Record<'api1' | 'api2' | 'stream1' | 'stream2' | 'control1' | 'control2', FleetProcess>;
let agent: FleetProcess & { hostId: string };
let apis: [Api, Api];
let trust: { ca: string };
let phones: [string, string];
const seen = new Acknowledged();

beforeAll(async () => {
  process.stdout.write(`fleet: seed ${SEED}\n`);
  fleet = await startFleet();
  trust = trustOf(fleet);
  // Starts a few processes at a time, because starting all at once would take as long for each as for all.
  const [api1, api2] = await Promise.all([fleet.add('api'), fleet.add('api', AHEAD)]);
  const [stream1, stream2] = await Promise.all([fleet.add('stream'), fleet.add('stream', BEHIND)]);
  const [control1, control2] = await Promise.all([fleet.add('control'), fleet.add('control', AHEAD)]);
  const host = await fleet.addHost('shelf', { PHONEBOOTH_SIMULATED_PHONES: '2' });
  members = { api1, api2, stream1, stream2, control1, control2 };
  agent = host;
  apis = [await apiAt(api1, fleet), await apiAt(api2, fleet)];
  await available(apis[0], 2);
  phones = (await listAll(apis[0])).map(({ id }) => id) as [string, string];
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

/** Starts other clients that borrow and return these phones through both api processes. */
const borrowers = (...deviceIds: string[]) => new Borrowers({ apis, deviceIds, seen, seed: SEED });

/** Connects to the first phone and waits until the session is connected. */
async function hold(api: Api, body: object = { duration: 9 }): Promise<Session> {
  const answer = await until('the first phone to be available', async () => {
    const tried = await api.post<Session>(`/devices/${phones[0]}/connect`, body);
    return tried.code !== 40010 && tried;
  });
  const session = succeeded(answer);
  seen.connected(session);
  return connected(api, session);
}

async function release(api: Api, { session_id }: Session): Promise<void> {
  seen.disconnected(succeeded(await api.post<Session>(`/sessions/${session_id}/disconnect`)));
}

const read = async (api: Api, { session_id }: Session) =>
  succeeded(await api.get<Session>(`/sessions/${session_id}`));

const allIntact = () =>
  intact({ api: apis[0], seen, phones: phones.length }, [...Object.values(members), agent]);

const watch = async (url: string) => {
  const viewer = await Viewer.open(url, trust);
  await viewer.firstFrame();
  return viewer;
};

const swipe = (controller: Controller) =>
  controller.call('swipe', { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.2, ms: 100 });

const report = (what: string, ms: number) => process.stdout.write(`fleet: ${what}: ${Math.round(ms)} ms\n`);

test('one session works across all processes', async () => {
  const headers = { 'content-type': 'application/octet-stream' };
  const body = makeApk({ packageName: 'com.example.fleet' });
  const app = succeeded(await apis[0].request<App>('POST', '/apps', { body, headers }));
  const session = await hold(apis[0], { duration: 9, app_id: app.id, record: true });
  await connected(apis[1], session);
  // An app may be in the middle of an install, whose progress changes between two reads.
  await until('both api processes to return the same', async () =>
    isDeepStrictEqual(await read(apis[1], session), await read(apis[0], session)),
  );

  await using first = await watch(session.stream_url);
  await using second = await watch(at(members.stream2, session.stream_url));
  expect(second.size).toEqual(first.size);
  await using earlier = await Controller.ready(session.control_url, trust);
  await using later = await Controller.ready(at(members.control2, session.control_url), trust);
  expect((await within('the takeover', earlier.closed)).code).toBe(4009);
  const shown = [await first.still(), await second.still()] as const;
  await swipe(later);
  await Promise.all([first.movedSince(shown[0]), second.movedSince(shown[1])]);

  // The host does not store the files. It fetches them from any api process.
  await later.notified('app.progress', ({ state }) => state === 'installed');
  expect((await later.call('app.list')).apps).toContainEqual(
    expect.objectContaining({ package: app.package }),
  );
  const screenshot = await apis[1].get(`/sessions/${session.session_id}/screenshot`);
  expect(screenshot.bytes.subarray(1, 4).toString()).toBe('PNG');

  await release(apis[1], session);
  for (const { closed } of [first, second, later]) {
    expect((await within('the sockets to close', closed)).code).toBe(1000);
  }
  succeeded(await apis[1].request('DELETE', `/apps/${app.id}`));

  // The host uploads the recording to any api process, and each of them serves it.
  await until('the recording', async () => (await read(apis[0], session)).recording?.status === 'complete');
  const path = `/sessions/${session.session_id}/artifacts`;
  const { items } = succeeded(await apis[0].get<{ items: Artifact[] }>(path));
  const video = items.find(({ kind }) => kind === 'video')!;
  for (const api of apis) {
    const { bytes, headers } = await api.get(`${path}/${video.id}`);
    expect([bytes.length, headers['content-type']]).toEqual([video.size, 'video/mp4']);
    expect(bytes.subarray(4, 8).toString()).toBe('ftyp');
  }
  await allIntact();
});

test('killing an api process leaves the whole fleet available through the other', async () => {
  await using load = borrowers(phones[1]);
  const session = await hold(apis[0]);
  await using viewer = await watch(session.stream_url);
  await using controller = await Controller.ready(session.control_url, trust);
  await members.api1.kill9();
  expect((await read(apis[1], session)).status).toBe('connected');
  const shown = await viewer.still();
  await swipe(controller);
  await viewer.movedSince(shown);
  await release(apis[1], session);
  const again = await hold(apis[1]);
  await release(apis[1], again);
  await members.api1.restart();
  await load.stop();
  await allIntact();
});

test('killing a stream gateway moves its viewers to another within 2 s', async () => {
  await using load = borrowers(phones[1]);
  const session = await hold(apis[0]);
  await using viewer = await watch(session.stream_url);
  const since = performance.now();
  await members.stream1.kill9();
  await within('the socket to close', viewer.closed);
  await using other = await watch(at(members.stream2, session.stream_url));
  const took = performance.now() - since;
  report('a frame at the other stream gateway after', took);
  expect(took).toBeLessThan(promised(2_000));
  expect(other.size).toEqual(viewer.size);
  await members.stream1.restart();
  await using back = await watch(session.stream_url);
  expect(back.size).toEqual(viewer.size);
  await release(apis[0], session);
  await load.stop();
  await allIntact();
});

test('killing a control gateway moves its client to another', async () => {
  await using load = borrowers(phones[1]);
  const session = await hold(apis[0]);
  await using viewer = await watch(session.stream_url);
  await using controller = await Controller.ready(session.control_url, trust);
  const shown = await viewer.still();
  const since = performance.now();
  await members.control1.kill9();
  await within('the socket to close', controller.closed);
  await using other = await Controller.ready(at(members.control2, session.control_url), trust);
  report('control at the other gateway after', performance.now() - since);
  await swipe(other);
  await viewer.movedSince(shown);
  await members.control1.restart();
  await release(apis[0], session);
  await load.stop();
  await allIntact();
});

test('killing an agent takes its phones offline within 12 s, and they are back soon after it restarts', async () => {
  await using load = borrowers(phones[1]);
  const session = await hold(apis[0]);
  await using viewer = await watch(session.stream_url);
  await using controller = await Controller.ready(session.control_url, trust);
  const since = performance.now();
  await agent.kill9();
  const offline = async () => (await listAll(apis[1])).length === 0;
  await until('the phones to be offline', offline, { deadlineMs: promised(12_000) });
  report('phones of a killed agent offline after', performance.now() - since);
  expect(await read(apis[1], session)).toMatchObject({
    ...{ status: 'disconnected', end_reason: 'host_lost', minutes_charged: 1 },
  });
  for (const { closed } of [viewer, controller]) {
    expect((await within('the sockets to close', closed)).code).toBe(4004);
  }
  await load.stop();
  await agent.restart();
  // This holds on a machine with enough CPU. Starting a simulated phone takes seconds of CPU time.
  report('phones available after its return', await available(apis[0], 2));
  await allIntact();
});

/** In the nightly run, longer than the silence after which a host counts as lost. */
const OUTAGE_SECONDS = isNightly ? 13 : 3;

const OUTAGES = {
  'NATS is': {
    begin: () => fleet.nats.kill(),
    end: () => fleet.nats.resume(),
  },
  'PostgreSQL is': {
    begin: () => fleet.postgres.halt(),
    end: () => fleet.postgres.resume(),
  },
  'both are': {
    begin: () => Promise.all([fleet.nats.kill(), fleet.postgres.halt()]),
    end: () => Promise.all([fleet.nats.resume(), fleet.postgres.resume()]),
  },
};

test.each(Object.entries(OUTAGES))(
  `%s unavailable for ${OUTAGE_SECONDS} s: sessions continue and the fleet recovers completely`,
  async (what, outage) => {
    await using load = borrowers(phones[1]);
    const session = await hold(apis[0]);
    await using viewer = await watch(session.stream_url);
    await using controller = await Controller.ready(session.control_url, trust);
    await outage.begin();
    await delay(OUTAGE_SECONDS * 1_000);
    // A session's video and commands use neither the database nor NATS.
    const shown = await viewer.still();
    await swipe(controller);
    await viewer.movedSince(shown);
    const answer = await apis[1].get('/devices');
    expect(answer.code).toBe(what === 'NATS is' ? 0 : 50300);
    await outage.end();
    const since = performance.now();
    const again = await until('the service to be ready', async () => {
      const read = await apis[1].get<Session>(`/sessions/${session.session_id}`);
      return read.code === 0 && read.data;
    });
    expect(again.status).toBe('connected');
    await until('the load to continue', nextConnect());
    report(`${what} away: others connect again after`, performance.now() - since);
    expect((await read(apis[0], session)).status).toBe('connected');
    expect([viewer.socket.readyState, controller.socket.readyState]).toEqual([1, 1]);
    await release(apis[0], session);
    await load.stop();
    await allIntact();
  },
);

/** Returns a function that tells whether another session was connected since this call. */
function nextConnect(): () => boolean {
  const before = seen.connects.size;
  return () => seen.connects.size > before;
}

test('an agent that was suspended for longer than the silence period ignores stale requests', async () => {
  await using load = borrowers(phones[1]);
  const session = await hold(apis[0]);
  await using viewer = await watch(session.stream_url);
  await using stubborn = await StubbornGateway.open(fleet);
  const held = await stubborn.links(agent.hostId, session.session_id);
  await until('the screen to stop changing', held.isStill);
  await agent.pause();
  const id = held.call('swipe', { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.2, ms: 100 });
  await until('the phones to be offline', async () => (await listAll(apis[0])).length === 0, {
    deadlineMs: promised(12_000),
  });
  expect(await read(apis[0], session)).toMatchObject({ status: 'disconnected', end_reason: 'host_lost' });
  expect((await within('the socket to close', viewer.closed)).code).toBe(4004);
  await delay(isNightly ? 18_000 : 1_000);
  const frames = held.frames();
  agent.unpause();
  expect(await until('a response', () => held.answerTo(id))).toMatchObject({ type: 'error', kind: 'failed' });
  await within('the agent to end the lease', held.closed);
  expect(held.frames() - frames).toBeLessThanOrEqual(CLOCK_TICKS);
  await load.stop();
  report('phones available after it went on', await available(apis[0], 2));
  await allIntact();
});

/** In the nightly run, longer than the silence after which a process counts as lost. */
const PAUSE_SECONDS = isNightly ? 15 : 4;

test(`an api process and gateways that were suspended for ${PAUSE_SECONDS} s detect this and do no damage`, async () => {
  await using load = borrowers(phones[1]);
  const session = await hold(apis[0]);
  await using viewer = await watch(at(members.stream2, session.stream_url));
  await using controller = await Controller.ready(at(members.control2, session.control_url), trust);
  await viewer.still();
  const stopped = [members.api2, members.stream2, members.control2];
  for (const process of stopped) await process.pause();
  const up = { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.2, ms: 100 };
  controller.send({ jsonrpc: '2.0', id: 4711, method: 'swipe', params: up });
  await release(apis[0], session);
  const next = await hold(apis[0]);
  await using other = await watch(next.stream_url);
  const shown = await other.still();
  const seenBefore = viewer.messages.length;
  await delay(PAUSE_SECONDS * 1_000);
  for (const process of stopped) process.unpause();
  for (const { closed } of [viewer, controller]) {
    expect((await within('the sockets to close', closed)).code).toBe(1000);
  }
  // The viewer of the previous session received nothing of the next session, and its input did not reach the phone.
  expect(viewer.messages.length - seenBefore).toBeLessThanOrEqual(CLOCK_TICKS);
  expect((await other.still()) - shown).toBeLessThanOrEqual(CLOCK_TICKS);
  expect(await read(apis[1], next)).toMatchObject({ status: 'connected', end_reason: null });
  await release(apis[1], next);
  await load.stop();
  await allIntact();
});

test('the length of a session follows the clock of the database, whatever the clocks of the processes', async () => {
  const [one, two] = await Promise.all(apis.map((api) => api.get('/devices?page_size=1')));
  const date = ({ headers }: { headers: { date?: string } }) => Date.parse(headers.date ?? '');
  expect(date(two!) - date(one!)).toBeGreaterThan(290_000);

  const session = await hold(apis[1], { duration: 1 });
  const created = Date.parse(session.created_at);
  expect(Date.parse(session.expires_at) - created).toBe(60_000);
  expect(Math.abs(Date.now() - created)).toBeLessThan(60_000);
  if (isNightly) await expectOneMinuteCharged(session);
  else await release(apis[1], session);
  await allIntact();
});

/** Watches a session of one minute until it ends. */
async function expectOneMinuteCharged(session: Session): Promise<void> {
  await using viewer = await watch(at(members.stream2, session.stream_url));
  await using controller = await Controller.ready(at(members.control2, session.control_url), trust);
  const closed = await within('the session to end', viewer.closed, 70_000);
  expect(closed.code).toBe(4001);
  expect((await within('the session to end', controller.closed)).code).toBe(4001);
  const { params } = await controller.notified('session.expiring', ({ seconds }) => seconds === 10);
  expect(params).toEqual({ seconds: 10 });
  const ended = await until('the end of the session', async () => {
    const now = await read(apis[0], session);
    return now.status === 'disconnected' && now;
  });
  expect(ended).toMatchObject({ end_reason: 'expired', minutes_charged: 1 });
  const late = Date.parse(ended.ended_at!) - Date.parse(session.expires_at);
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThan(5_000);
}

test('revoking a host disconnects it, ends its sessions and takes its phones offline', async () => {
  const session = await hold(apis[0]);
  await using viewer = await watch(session.stream_url);
  await using controller = await Controller.ready(session.control_url, trust);
  const revoked = await runCommand(['hosts', 'revoke', agent.hostId], members.api1.env);
  expect(revoked).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('1 live session') });
  expect(await read(apis[1], session)).toMatchObject({ status: 'disconnected', end_reason: 'admin' });
  expect(await listAll(apis[1])).toEqual([]);
  for (const { closed } of [viewer, controller]) {
    expect((await within('the sockets to close', closed)).code).toBe(4003);
  }
  await until('the host to be disconnected by the control plane', () =>
    agent.output().includes('is revoked'),
  );
  await fleet.publishHosts();
  await until('the host’s connection to be closed', () => agent.output().includes('rejected the credential'));
  expect(await listAll(apis[1])).toEqual([]);
  expect(await seen.verify(apis[0])).toEqual([]);
});
