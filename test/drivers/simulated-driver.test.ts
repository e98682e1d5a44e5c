import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PhoneMethod, UiNode } from '../../src/contract/sockets/control-methods.ts';
import { decodePacket, type StreamPacket } from '../../src/contract/sockets/stream-packets.ts';
import type { Phone, PhoneNotification, PhoneSession } from '../../src/drivers/driver.ts';
import { KeptState } from '../../src/drivers/simulated/kept-state.ts';
import { PHONE_MODELS } from '../../src/drivers/simulated/models.ts';
import { PhoneThread } from '../../src/drivers/simulated/phone-thread.ts';
import { SimulatedDriver } from '../../src/drivers/simulated/simulated-driver.ts';
import { SimulatedSession } from '../../src/drivers/simulated/simulated-session.ts';
import { silentLog } from '../../src/util/log.ts';
import { isNightly } from '../nightly.ts';

const SOON = { timeout: 60_000, interval: 5 };

const never = new AbortController().signal;
const drivers: SimulatedDriver[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const driver of drivers.splice(0)) await driver[Symbol.asyncDispose]();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'phonebooth-simulated-'));
  folders.push(folder);
  return folder;
}

async function startDriver(
  count = 1,
  hostId = 'host-1',
  dataDir = newDataDir(),
): Promise<{ driver: SimulatedDriver; phones: () => Phone[] }> {
  const driver = new SimulatedDriver({ hostId, count, dataDir, log: silentLog });
  drivers.push(driver);
  let phones: Phone[] = [];
  await driver.start((now) => {
    phones = now;
  });
  return { driver, phones: () => phones };
}

interface Viewer {
  session: PhoneSession;
  packets: StreamPacket[];
  notifications: PhoneNotification[];
  perform(method: PhoneMethod, params?: unknown): Promise<unknown>;
  tree(): Promise<string>;
}

function watch(session: PhoneSession): Viewer {
  const packets: StreamPacket[] = [];
  const notifications: PhoneNotification[] = [];
  session.onNotification((notification) => notifications.push(notification));
  session.onPacket((packet) => packets.push(decodePacket(packet)));
  const perform = (method: PhoneMethod, params: unknown = {}) =>
    session.perform(method, params, { signal: never });
  const tree = async () => JSON.stringify(((await perform('ui.tree')) as { root: UiNode }).root);
  return { session, packets, notifications, perform, tree };
}

async function openPhone(phone: Phone): Promise<Viewer> {
  const viewer = watch(await phone.open({ sessionId: 'session-1', signal: never }));
  await vi.waitFor(() => expect(viewer.packets.length).toBeGreaterThanOrEqual(3), SOON);
  return viewer;
}

const only = (phones: Phone[]): Phone => {
  const [phone] = phones;
  if (!phone) throw new Error('the driver lists no phone');
  return phone;
};

describe('simulated phones of a host', () => {
  it('are available immediately, differ and have stable identifiers that include the host', async () => {
    const first = (await startDriver(4)).phones().map(({ description }) => description);
    const again = (await startDriver(4)).phones().map(({ description }) => description);
    const elsewhere = (await startDriver(4, 'host-2')).phones().map(({ description }) => description);
    expect(new Set(first.map(({ brand }) => brand)).size).toBe(4);
    expect(new Set(first.map(({ os_version }) => os_version)).size).toBe(4);
    expect(first.every(({ id }) => /^sim-[0-9a-f]{8}$/.test(id))).toBe(true);
    expect(again).toEqual(first);
    expect(new Set([...first, ...elsewhere].map(({ id }) => id)).size).toBe(8);
  });
});

describe('a phone without a session', () => {
  it('has no thread, and needs none to be cleaned', async () => {
    const threads = () => process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
    const before = threads();
    const { phones } = await startDriver(3);
    for (const phone of phones()) await phone.clean({ signal: never });
    expect(threads()).toBeLessThanOrEqual(before);
    await openPhone(only(phones()));
    expect(threads()).toBeGreaterThan(before);
  });
});

describe('a session', () => {
  it('begins with the size, the config and a keyframe, and sends a frame after a touch', async () => {
    const { phones } = await startDriver();
    const { packets, perform, session } = await openPhone(only(phones()));
    expect(packets.slice(0, 3).map(({ type }) => type)).toEqual(['session', 'config', 'keyframe']);
    expect(packets[0]).toEqual({ type: 'session', width: 540, height: 1212 });
    await perform('app.launch', { package: 'com.phonebooth.calculator' });
    await atRest(packets);
    const before = packets.length;
    await perform('tap', { x: 0.2, y: 0.9 });
    await vi.waitFor(() => expect(packets.length).toBeGreaterThan(before), SOON);
    expect(packets.slice(3).every(({ type }) => type === 'delta')).toBe(true);
    const times = packets.flatMap((packet) => (packet.type === 'delta' ? [packet.pts] : []));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    await session[Symbol.asyncDispose]();
  });

  it('produces a stream that decodes without errors', async () => {
    const { phones } = await startDriver();
    const { packets, perform } = await openPhone(only(phones()));
    await perform('swipe', { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.3, ms: 150 });
    await perform('app.launch', { package: 'com.android.settings' });
    await perform('swipe', { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.3, ms: 100 });
    await atRest(packets);
    const stream = Buffer.concat(
      packets.flatMap((packet) => (packet.type === 'session' ? [] : [packet.data])),
    );
    const frames = packets.filter(({ type }) => type === 'keyframe' || type === 'delta').length;
    const decoded = spawnSync(
      'ffmpeg',
      ['-v', 'error', '-err_detect', 'explode', '-f', 'h264', '-i', 'pipe:', '-f', 'framemd5', '-'],
      { input: stream, encoding: 'utf8', timeout: 60_000 },
    );
    expect(decoded.stderr).toBe('');
    expect(decoded.stdout.split('\n').filter((line) => /^0,/.test(line))).toHaveLength(frames);
  });

  it('sends nothing while the screen does not change, and a keyframe on request', async () => {
    await using thread = new PhoneThread(PHONE_MODELS[0] as (typeof PHONE_MODELS)[0]);
    await thread.ready;
    const { packets, session } = watch(
      new SimulatedSession(thread, new KeptState('never-written', silentLog), () => {}),
    );
    await vi.waitFor(() => expect(packets.length).toBeGreaterThanOrEqual(3), SOON);
    await minuteIsYoung();
    await atRest(packets);
    const sent = packets.length;
    const before = await thread.cpuUsage();
    await delay(1500);
    expect(packets).toHaveLength(sent);
    const { user, system } = await thread.cpuUsage(before);
    expect(user + system, 'CPU time in µs').toBeLessThan(isNightly ? 30_000 : 300_000);
    for (let asked = 0; asked < 50; asked++) session.requestKeyframe();
    await vi.waitFor(() => expect(packets.at(-1)?.type).toBe('keyframe'), SOON);
    await delay(500);
    const times = packets.slice(sent).flatMap((packet) => (packet.type === 'keyframe' ? [packet.pts] : []));
    const apart = times.slice(1).map((pts, index) => (pts - times[index]!) / 1000);
    // This holds however long a busy machine takes for the fifty requests
    for (const ms of apart) expect(ms).toBeGreaterThan(190);
  });

  it('reports its new size on a rotation and restarts the stream', async () => {
    const { phones } = await startDriver();
    const { packets, notifications, perform } = await openPhone(only(phones()));
    const before = packets.length;
    await perform('rotate', { orientation: 'landscape' });
    const since = () => packets.slice(before).filter(({ type }) => type !== 'delta');
    await vi.waitFor(
      () => expect(since().map(({ type }) => type)).toEqual(['session', 'config', 'keyframe']),
      SOON,
    );
    expect(since()[0]).toEqual({ type: 'session', width: 1212, height: 540 });
    const rotated = { method: 'device.rotated', params: { width: 1212, height: 540 } };
    await vi.waitFor(() => expect(notifications).toContainEqual(rotated), SOON);
  });
});

describe('control commands of a session', () => {
  let driver: SimulatedDriver;
  let viewer: Viewer;

  beforeAll(async () => {
    let phones: Phone[] = [];
    driver = new SimulatedDriver({ hostId: 'host-1', count: 1, dataDir: tmpdir(), log: silentLog });
    await driver.start((now) => {
      phones = now;
    });
    viewer = await openPhone(only(phones));
  });

  afterAll(() => driver[Symbol.asyncDispose]());

  it('accept scrcpy messages: a touch, text and the clipboard', async () => {
    const { session, notifications, perform, tree } = viewer;
    await perform('app.launch', { package: 'com.phonebooth.browser' });
    session.inject(touch(0, 270, 80));
    session.inject(touch(1, 270, 80));
    session.inject(Buffer.concat([Buffer.from('0100000005', 'hex'), Buffer.from('hello')]));
    await vi.waitFor(async () => expect(await tree()).toContain('"text":"hello"'), SOON);
    session.inject(Buffer.concat([Buffer.from('0900000000000000010000000003', 'hex'), Buffer.from('abc')]));
    await vi.waitFor(
      () => expect(notifications).toContainEqual({ method: 'clipboard.changed', params: { text: 'abc' } }),
      SOON,
    );
    expect(await perform('clipboard.get')).toEqual({ text: 'abc' });
  });

  it('reject what the phone does not support with an explanation', async () => {
    const { session, perform } = viewer;
    expect(session.capabilities).not.toContain('shell');
    await expect(perform('shell', { command: 'ls' })).rejects.toMatchObject({ kind: 'unsupported' });
    await expect(perform('key', { key: 'NO_SUCH_KEY' })).rejects.toThrow('NO_SUCH_KEY');
    await expect(perform('app.launch', { package: 'no.such.app' })).rejects.toThrow('no.such.app');
  });

  it('return a screenshot, and stream the log on request', async () => {
    const { notifications, perform } = viewer;
    const { png } = (await perform('screenshot')) as { png: string };
    const bytes = Buffer.from(png, 'base64');
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([540, 1212]);
    expect(await perform('device.info')).toMatchObject({
      ...{ os_version: '15', api_level: 35, screen: { width: 1080, height: 2424, density: 480 } },
      network: { kind: 'wifi', name: 'Phonebooth', addresses: ['192.0.2.17'] },
    });
    await perform('app.launch', { package: 'com.phonebooth.clock' });
    expect(notifications.filter(({ method }) => method === 'log.line')).toEqual([]);
    await perform('log.start');
    await perform('app.launch', { package: 'com.phonebooth.paint' });
    await vi.waitFor(
      () => expect(JSON.stringify(notifications)).toContain('"app":"com.phonebooth.paint"'),
      SOON,
    );
  });

  it('abort a gesture on a signal', async () => {
    const { session, perform, tree } = viewer;
    await perform('app.launch', { package: 'com.android.settings' });
    const giveUp = new AbortController();
    const held = session.perform('long_press', { x: 0.5, y: 0.3, ms: 60_000 }, { signal: giveUp.signal });
    giveUp.abort(new Error('enough'));
    await expect(held).rejects.toThrow('enough');
    expect(await tree()).toContain('Settings');
  });
});

describe('a session that continues after a restart of its host', () => {
  const restarted = async (dataDir: string, sessionId: string) => {
    for (const driver of drivers.splice(0)) await driver[Symbol.asyncDispose]();
    const phone = only((await startDriver(1, 'host-1', dataDir)).phones());
    return { phone, ...watch(await phone.open({ sessionId, signal: never })) };
  };

  it('has the same conditions, which cleaning undoes', async () => {
    const dataDir = newDataDir();
    const { perform } = await restarted(dataDir, 'session-1');
    const before = await perform('conditions.get');
    await perform('conditions.set', { dark_mode: true, font_scale: 1.3, locale: 'de-DE' });
    await perform('location.set', { lat: 52.5, lng: 13.4 });
    const again = await restarted(dataDir, 'session-1');
    expect(await again.perform('conditions.get')).toMatchObject({
      values: { dark_mode: true, font_scale: 1.3, locale: 'de-DE', location: { lat: 52.5, lng: 13.4 } },
    });
    await again.session[Symbol.asyncDispose]();
    await again.phone.clean({ signal: never });
    const cleaned = await restarted(dataDir, 'session-1');
    expect(await cleaned.perform('conditions.get')).toEqual(before);
  });

  it('keeps no conditions for another session', async () => {
    const dataDir = newDataDir();
    await (await restarted(dataDir, 'session-1')).perform('conditions.set', { dark_mode: true });
    const { perform } = await restarted(dataDir, 'session-2');
    expect(await perform('conditions.get')).toMatchObject({ values: { dark_mode: false } });
  });
});

describe('after a session', () => {
  it('a cleaned phone keeps no state of it', async () => {
    const { phones } = await startDriver();
    const phone = only(phones());
    const used = await openPhone(phone);
    await used.perform('clipboard.set', { text: 'secret' });
    await used.perform('app.launch', { package: 'com.phonebooth.notes' });
    await used.perform('rotate', { orientation: 'landscape' });
    const held = used.perform('long_press', { x: 0.5, y: 0.5, ms: 60_000 });
    const refused = expect(held).rejects.toThrow('the session has ended');
    await used.session[Symbol.asyncDispose]();
    await refused;
    await expect(phone.open({ sessionId: 'too-early', signal: never })).rejects.toThrow('not been cleaned');
    await phone.clean({ signal: never });
    const next = await openPhone(phone);
    expect(next.packets[0]).toEqual({ type: 'session', width: 540, height: 1212 });
    expect(await next.perform('clipboard.get')).toEqual({ text: '' });
    expect(await next.tree()).toContain('lock-screen');
    await next.perform('app.launch', { package: 'com.phonebooth.notes' });
    expect(await next.tree()).not.toContain('note-editor');
  });

  it('a crashed phone reports the reason and recovers', async () => {
    const { phones } = await startDriver();
    const phone = only(phones());
    const { session } = await openPhone(phone);
    const waiting = session.perform('long_press', { x: 0.5, y: 0.5, ms: 60_000 }, { signal: never });
    const refused = expect(waiting).rejects.toThrow('stopped');
    // null is not a byte array and cannot pass the gateways' checks, so the thread fails on it.
    session.inject(null as unknown as Uint8Array);
    const { detail } = await session.lost;
    expect(detail).toContain('TypeError');
    await refused;
    expect(phone.problem).toContain('stopped');
    await session[Symbol.asyncDispose]();
    await phone.clean({ signal: never });
    expect(phone.problem).toBeNull();
    const { packets } = await openPhone(phone);
    expect(packets[2]?.type).toBe('keyframe');
  });

  it('a disposed driver stops every thread, including starting ones', async () => {
    const workers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Worker' || kind === 'MessagePort').length;
    const before = workers();
    const { driver, phones } = await startDriver(2);
    const { session } = await openPhone(only(phones()));
    const starting = phones()[1]!.open({ sessionId: 'session-2', signal: never });
    const rejected = expect(starting).rejects.toThrow('the simulated phone was shut down');
    await driver[Symbol.asyncDispose]();
    await rejected;
    expect(await session.lost).toMatchObject({ detail: expect.any(String) });
    // Workers that an earlier test left behind may also exit in the meantime.
    await vi.waitFor(() => expect(workers()).toBeLessThanOrEqual(before), SOON);
  });
});

/** Waits until no packet arrives for a while. */
async function atRest(packets: readonly unknown[]): Promise<void> {
  const deadline = performance.now() + SOON.timeout;
  for (let count = -1; count !== packets.length; ) {
    if (performance.now() > deadline) throw new Error('the screen does not stop changing');
    count = packets.length;
    await delay(400);
  }
}

/**
 * Waits for a new minute if the current one is almost over: the clock on the screen changes every minute, which would
 * disturb a still screen.
 */
async function minuteIsYoung(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 10_000) await delay(left + 500);
}

/** A scrcpy touch message on a screen of 540 × 1212. */
function touch(action: number, x: number, y: number): Uint8Array {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt8(2, 0);
  bytes.writeUInt8(action, 1);
  bytes.writeBigInt64BE(-1n, 2);
  bytes.writeInt32BE(x, 10);
  bytes.writeInt32BE(y, 14);
  bytes.writeUInt16BE(540, 18);
  bytes.writeUInt16BE(1212, 20);
  bytes.writeUInt16BE(action === 0 ? 0xffff : 0, 22);
  return bytes;
}
