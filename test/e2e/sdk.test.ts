import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EncodedPacketSink, FilePathSource, Input, MP4 } from 'mediabunny';
import { isServiceError, Phonebooth, type PhoneSession, SessionEndedError } from 'phonebooth/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';

let service: Service;
let phones: Phonebooth;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '2' } });
  phones = new Phonebooth({ url: service.httpOrigin, key: service.key });
  const free = async () => (await phones.api.listDevices({ status: 'available' })).total;
  await until('two available phones', async () => (await free()) === 2);
});
afterAll(() => service?.[Symbol.asyncDispose]());

/** Waits for an available phone: those that were just returned are being cleaned. */
const anyPhone = () =>
  until(
    'an available phone',
    async () => (await phones.api.listDevices({ status: 'available' })).items[0]?.id,
  );

/** Collects frames of a session, from the first packet to the one that satisfies `fits`. */
async function frameThat(session: PhoneSession, fits: (type: string, index: number) => boolean) {
  const types: string[] = [];
  for await (const { type } of session.frames()) {
    types.push(type);
    if (fits(type, types.length)) break;
  }
  return types;
}

test('borrows, watches and controls a phone, and ends the session at the end of the block', async () => {
  let id = '';
  {
    await using session = await phones.connect(await anyPhone(), { duration: 5 });
    id = session.id;
    await session.ready;
    expect(session.capabilities).toContain('tap');
    expect((await frameThat(session, (type) => type === 'keyframe')).slice(0, 3)).toEqual([
      'session',
      'config',
      'keyframe',
    ]);
    await session.tap(0.5, 0.5);
    await session.key('HOME');
    await session.setClipboard('from the SDK');
    expect(await session.clipboard()).toBe('from the SDK');
    expect(Buffer.from(await session.screenshot()).toString('latin1', 1, 4)).toBe('PNG');
    expect((await session.apps()).length).toBeGreaterThan(0);
    const before = session.expiresAt;
    await session.extend(5);
    expect(Date.parse(session.expiresAt) - Date.parse(before)).toBe(300_000);
  }
  expect(await phones.api.getSession(id)).toMatchObject({ status: 'disconnected', end_reason: 'client' });
});

test('records a session with marks, and downloads its artifacts after the end', async () => {
  const { api } = phones;
  let id = '';
  {
    await using session = await phones.connect(await anyPhone(), { duration: 5, record: true });
    id = session.id;
    await session.ready;
    expect(session.isRecorded).toBe(true);
    expect(await session.mark('opens the home screen')).toBe(true);
    await session.key('HOME');
    await session.text('hunter2');
  }
  const { recording } = await api.waitForRecording(id, { timeoutMs: 120_000 });
  expect(recording).toEqual({ status: 'complete', detail: null });
  const { items } = await api.listArtifacts(id);
  const events = items.find(({ kind }) => kind === 'events')!;
  const textFrom = async (start: number) =>
    new Response((await api.downloadArtifact(id, events.id, { start })).bytes).text();
  const text = await textFrom(0);
  expect(text.length).toBe(events.size);
  expect(await textFrom(100)).toBe(text.slice(100));
  expect(text).toContain('opens the home screen');
  expect(text).not.toContain('hunter2');
  await api.deleteArtifact(id, events.id);
  expect((await api.listArtifacts(id)).items).toHaveLength(items.length - 1);
  await expect(api.downloadArtifact(id, events.id)).rejects.toMatchObject({ kind: 'resourceNotFound' });
});

test('reads and changes the conditions of a phone, and the next borrower finds none of them', async () => {
  let device = '';
  {
    await using session = await phones.connect(await anyPhone(), { duration: 5 });
    device = session.deviceId;
    await session.ready;
    const { values: before, unsupported } = await session.conditions();
    expect(before).toMatchObject({ dark_mode: false, font_scale: 1, animations: true });
    expect(unsupported).toEqual({ proxy: expect.stringContaining('do not use the network') });
    const wanted = {
      ...{ dark_mode: true, font_scale: 1.5, locale: 'de-DE', time_zone: 'Asia/Tokyo', animations: false },
      ...{ airplane_mode: true, battery_saver: true, location: { lat: 52.52, lng: 13.405 } },
    };
    expect((await session.setConditions(wanted)).values).toEqual(wanted);
    expect((await phones.api.setConditions(session.id, { dark_mode: false })).values).toEqual({
      ...wanted,
      dark_mode: false,
    });
    for (const [refused, message] of [
      [{ proxy: 'proxy.example.com:3128' }, 'body.proxy is not supported by this phone: simulated phones'],
      [{ time_zone: 'Mars/Olympus' }, 'body.time_zone must be an IANA time zone, such as Europe/Paris'],
      [{ font_scale: 5 }, 'body.font_scale must be a number from 0.85 to 2'],
      [{ location: { lat: 1 } }, 'body.location must be an object with lat, which must be a number from -90'],
    ] as [object, string][])
      await expect(
        phones.api.setConditions(session.id, { airplane_mode: false, ...refused }),
      ).rejects.toSatisfy((error) => isServiceError(error, 'invalid') && error.message.startsWith(message));
    expect((await session.conditions()).values.airplane_mode).toBe(true);
    const { id: account } = await phones.api.admin.createAccount({ name: 'another account' });
    const { key } = await phones.api.admin.createKey(account, { name: 'another key', role: 'user' });
    const other = new Phonebooth({ url: service.httpOrigin, key: key! });
    await expect(other.api.conditions(session.id)).rejects.toMatchObject({ code: 40005 });
  }
  const isFree = async () => (await phones.api.getDevice(device)).status === 'available';
  await until('the phone to be available again', isFree);
  await using session = await phones.connect(device, { duration: 5 });
  await session.ready;
  expect((await session.conditions()).values).toMatchObject({ dark_mode: false, locale: 'en-GB' });
});

test('pushes, lists, pulls and deletes files of a phone, which the next borrower does not find', async () => {
  const content = randomBytes(6_000_000);
  const path = '/sdcard/Pictures/New album/photo 1.jpg';
  let device = '';
  {
    await using session = await phones.connect(await anyPhone(), { duration: 5 });
    device = session.deviceId;
    await session.ready;
    const { api } = phones;
    const sent: number[] = [];
    const pushed = await api.pushFile(session.id, path, new Blob([content]), {
      onProgress: (progress) => sent.push(progress.sent),
    });
    expect(pushed).toMatchObject({ path, name: 'photo 1.jpg', kind: 'file', size: content.length });
    expect(sent.at(-1)).toBe(content.length);
    expect((await api.listFiles(session.id, 'Pictures/New album')).items).toEqual([pushed]);
    const { size, bytes } = await api.pullFile(session.id, path);
    expect(size).toBe(content.length);
    expect(content.equals(new Uint8Array(await new Response(bytes).arrayBuffer()))).toBe(true);
    const blob = new Blob(['content']);
    for (const [refused, code, message] of [
      [() => api.pushFile(session.id, path, blob), 40018, 'exists already'],
      [() => api.pushFile(session.id, '/sdcard/../data/x', blob), 40000, 'must not contain ".."'],
      [() => api.pushFile(session.id, '/data/local/tmp/x', blob), 40000, 'must be below /sdcard'],
      [() => api.pushFile(session.id, '/sdcard/Android/DATA/x', blob), 40000, 'belong to apps'],
      [() => api.pullFile(session.id, '/sdcard/none.txt'), 40008, 'does not exist'],
      [() => api.deleteFile(session.id, 'Pictures'), 40000, 'is not empty'],
    ] as [() => Promise<unknown>, number, string][])
      await expect(refused()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    const stop = new AbortController();
    const cancelled = api.pushFile(session.id, 'Download/half.bin', new Blob([content]), {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('cancelled')),
    });
    await expect(cancelled).rejects.toThrow();
    // A slow reader: the service waits for it, and its end does not depend on the client.
    const slow = await api.pullFile(session.id, path);
    await slow.bytes.cancel();
    await until('no half written file', async () => {
      const { items } = await api.listFiles(session.id, 'Download');
      return items.length === 0;
    });
    expect((await api.pushFile(session.id, path, blob, { overwrite: true })).size).toBe(7);
    await api.deleteFile(session.id, path);
    const { id: account } = await api.admin.createAccount({ name: 'an account without phones' });
    const { key } = await api.admin.createKey(account, { name: 'a key', role: 'user' });
    const other = new Phonebooth({ url: service.httpOrigin, key: key! });
    for (const hidden of [
      () => other.api.listFiles(session.id),
      () => other.api.pullFile(session.id, path),
      () => other.api.pushFile(session.id, path, blob),
      () => other.api.deleteFile(session.id, path),
    ])
      await expect(hidden()).rejects.toMatchObject({ code: 40005 });
  }
  const isFree = async () => (await phones.api.getDevice(device)).status === 'available';
  await until('the phone to be available again', isFree);
  await using session = await phones.connect(device, { duration: 5 });
  await session.ready;
  const { items } = await phones.api.listFiles(session.id, '/sdcard/Pictures');
  expect(items.map(({ name }) => name)).toEqual(['Hills.png']);
});

test('throws the phone’s error for a rejected command, and the session continues', async () => {
  await using session = await phones.connect(await anyPhone(), { duration: 5 });
  await expect(session.key('NO_SUCH_KEY')).rejects.toMatchObject({ name: 'ControlError', code: -32002 });
  await session.key('HOME');
});

test('ends the frames and rejects commands with the reason at the end of the session', async () => {
  const session = await phones.connect(await anyPhone(), { duration: 5 });
  await session.ready;
  const watching = frameThat(session, () => false);
  await phones.api.disconnect(session.id);
  expect(await session.ended).toMatchObject({ name: 'SessionEndedError', reason: 'client' });
  await watching;
  await expect(session.tap(0.5, 0.5)).rejects.toBeInstanceOf(SessionEndedError);
  await session[Symbol.asyncDispose]();
});

test('ends only the frames of the reader whose signal is aborted', async () => {
  await using session = await phones.connect(await anyPhone(), { duration: 5 });
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const { type } of session.frames({ signal: stop.signal })) {
    seen.push(type);
    stop.abort();
  }
  expect(seen).toEqual(['session']);
  await session.key('HOME');
});

test('survives a restart of the service: frames and commands continue', async () => {
  await using session = await phones.connect(await anyPhone(), { duration: 10 });
  await session.ready;
  const types: string[] = [];
  /** Reads on with the same reader until `type` arrives. A screen that does not change sends no further keyframes. */
  const frames = session.frames();
  const readUntil = async (type: string) => {
    do {
      const { value, done } = await frames.next();
      if (done) throw new Error(`the frames ended before ${type}; received: ${types.join(', ')}`);
      types.push(value.type);
    } while (types.at(-1) !== type);
  };
  await readUntil('keyframe');
  await service.kill9();
  const command = session.key('HOME');
  await service.restart();
  await command;
  // The new connection begins with the size of the screen.
  await readUntil('session');
  await readUntil('keyframe');
});

test('throws the contract’s code for a phone that is in use', async () => {
  const id = await anyPhone();
  await using _session = await phones.connect(id, { duration: 5 });
  await expect(phones.connect(id)).rejects.toMatchObject({ code: 40010, data: { reason: 'in_use' } });
});

test('explains that a WebSocket implementation is missing', () => {
  const { WebSocket } = globalThis;
  try {
    Reflect.deleteProperty(globalThis, 'WebSocket');
    expect(() => new Phonebooth({ url: service.httpOrigin, key: service.key })).toThrow('webSocket');
  } finally {
    globalThis.WebSocket = WebSocket;
  }
});

/** Reads an MP4 file: its size in pixels, its duration, and its frames. */
async function readVideo(file: string) {
  using input = new Input({ source: new FilePathSource(file), formats: [MP4] });
  const track = (await input.getPrimaryVideoTrack())!;
  const types: string[] = [];
  for await (const { type } of new EncodedPacketSink(track).packets()) types.push(type);
  const [width, height] = [await track.getCodedWidth(), await track.getCodedHeight()];
  return { width, height, seconds: await track.computeDuration(), types };
}

test('records the screen beside any controlling client, with one file per orientation', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-recording-'));
  try {
    await using session = await phones.connect(await anyPhone(), { duration: 5 });
    await session.ready;
    // The recording does not include the frame before it.
    await session.swipe({ x: 0.5, y: 0.8 }, { x: 0.5, y: 0.2 });
    const observer = await phones.attach(session.id, { watch: true });
    await expect(observer.tap(0.5, 0.5)).rejects.toThrow('watch-only');
    const startedAt = performance.now();
    const recording = await observer.record(join(folder, 'phone.mp4'));
    await session.key('HOME');
    await session.rotate('landscape');
    await until('the second file', () => existsSync(join(folder, 'phone-2.mp4')));
    await session.swipe({ x: 0.2, y: 0.5 }, { x: 0.8, y: 0.5 });
    const { why, files } = await recording.stop();
    const elapsed = (performance.now() - startedAt) / 1000;
    expect({ why, files }).toEqual({
      why: 'stopped',
      files: [join(folder, 'phone.mp4'), join(folder, 'phone-2.mp4')],
    });
    const [upright, turned] = await Promise.all(files.map(readVideo));
    expect(upright!.types[0]).toBe('key');
    expect(turned!.types[0]).toBe('key');
    expect([turned!.width, turned!.height]).toEqual([upright!.height, upright!.width]);
    expect(upright!.seconds + turned!.seconds).toBeLessThanOrEqual(elapsed + 0.1);
    // The onlooker did not take over control.
    await session.rotate('portrait');
    observer.detach();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('ends a recording with its session, and reports a target that cannot be written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-recording-'));
  try {
    await using session = await phones.connect(await anyPhone(), { duration: 5 });
    const nowhere = await session.record(join(folder, 'no/such/folder.mp4'));
    await session.swipe({ x: 0.5, y: 0.8 }, { x: 0.5, y: 0.2 });
    await expect(nowhere.stop()).rejects.toThrow(/ENOENT/);
    await expect(nowhere.finished).rejects.toThrow(/ENOENT/);
    const recording = await session.record(join(folder, 'phone.mp4'));
    await session.key('HOME');
    await session.disconnect();
    expect(await recording.finished).toMatchObject({ why: 'stopped' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('stops waiting when its signal is aborted, with the abort reason', async () => {
  await using session = await phones.connect(await anyPhone(), { duration: 5 });
  await session.ready;
  const reason = new Error('enough');
  const call = session.screenshot(AbortSignal.abort(reason));
  await expect(call).rejects.toBe(reason);
  await expect(session.tap(0.5, 0.5, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const late = new AbortController();
  const install = session.longPress(0.5, 0.5, { ms: 60_000, signal: late.signal });
  late.abort(reason);
  await expect(install).rejects.toBe(reason);
  await session.tap(0.5, 0.5);
});

test('identifies an error by its kind and exposes its data', async () => {
  await using session = await phones.connect(await anyPhone(), { duration: 5 });
  const error = await phones.connect(session.deviceId).catch((thrown: unknown) => thrown);
  expect(isServiceError(error, 'quotaExceeded')).toBe(false);
  if (!isServiceError(error, 'deviceUnavailable')) throw error;
  expect(error.data.reason).toBe('in_use');
});
