import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodeWithFfmpeg } from '../../src/drivers/simulated/h264/test-ffmpeg.ts';
import { Api, type App, type Device, type Session, succeeded, type Usage } from '../black-box/kit/api.ts';
import { connected, listAll } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { Description } from '../black-box/kit/description.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until, within } from '../black-box/kit/wait.ts';
import { makeApk } from '../fixtures/apk.ts';
import { AdbServerProcess } from '../fixtures/phone-double/adb-server.ts';
import { type PhoneHandle, Phones } from '../fixtures/phone-double/phones.ts';
import { scrcpyServerFile } from '../fixtures/scrcpy-server-file.ts';
import { type Service, startService } from '../fixtures/service.ts';

const PACKAGE = 'org.acme.borrowed';
const MINUTES = 5;
/** UHID_CREATE message for a device without a name, with a report descriptor of two bytes. */
const UHID_CREATE = Buffer.from('0c00010000000000' + '00020501', 'hex');

let phones: Phones;
let adb: AdbServerProcess;
let double: PhoneHandle;
let service: Service;
let api: Api;
let ca: string;
let app: App;

beforeAll(async () => {
  phones = Phones.start();
  adb = await AdbServerProcess.start();
  double = await phones.add();
  await plugIn();
  service = await startService({
    settings: {
      PHONEBOOTH_ADB: `127.0.0.1:${adb.port}`,
      PHONEBOOTH_SIMULATED_PHONES: '0',
      PHONEBOOTH_SCRCPY_SERVER: await scrcpyServerFile(),
    },
  });
  const description = await Description.fetch(service.baseUrl, undefined);
  api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
  ca = readFileSync(service.caFile, 'utf8');
  const apk = makeApk({ packageName: PACKAGE, label: 'Borrowed' });
  const headers = { 'content-type': 'application/octet-stream' };
  app = succeeded(await api.post<App>('/apps', apk, { headers }));
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await adb?.[Symbol.asyncDispose]();
  await phones?.[Symbol.asyncDispose]();
});

const plugIn = () => adb.adb('connect', double.address);
const sessionOf = async (id: string) => succeeded(await api.get<Session>(`/sessions/${id}`));
const end = async (id: string) => succeeded(await api.post<Session>(`/sessions/${id}/disconnect`));
const usage = async () => succeeded(await api.get<Usage>('/usage')).minutes;
const installed = async () => (await double.report()).packages.includes(PACKAGE);

/** Waits until the phone is clean and available, and returns it. */
const available = () =>
  until('the phone to be available', async () => (await listAll(api, '&status=available'))[0]);

async function borrow(device: Device): Promise<Session> {
  const body = { duration: MINUTES, app_id: app.id };
  const session = await connected(
    api,
    succeeded(await api.post<Session>(`/devices/${device.id}/connect`, body)),
  );
  await until('the app to be installed', async () => {
    const { app_status, app_error } = await sessionOf(session.session_id);
    expect(app_error).toBeNull();
    return app_status === 'installed';
  });
  expect(await installed()).toBe(true);
  return session;
}

describe('an Android phone at an adb server', () => {
  let session: Session;
  let device: Device;

  beforeEach(async () => {
    device = await available();
    session = await borrow(device);
  });
  // Ensures that a failed test leaves no session behind for the next one.
  afterEach(() => end(session.session_id));

  test('is listed with its properties', async () => {
    expect(await listAll(api)).toEqual([
      {
        id: expect.stringMatching(/^and-[0-9a-f]{12}$/),
        name: 'Google Pixel 8',
        brand: 'google',
        model: 'Pixel 8',
        os_version: '14',
        screen_size: '6.2',
        resolution: '1080x2400',
        platform: 'android',
        kind: 'physical',
        battery_percent: 64,
        status: 'busy',
        free_at: session.expires_at,
        host: { id: expect.stringMatching(/^host-/), name: expect.any(String) },
      },
    ]);
    expect(JSON.stringify(await listAll(api))).not.toContain(double.model.serial);
  });

  test('shows its screen, accepts a tap, and has no installed app left after the session', async () => {
    await using viewer = await Viewer.open(session.stream_url, { ca });
    await using controller = await Controller.ready(session.control_url, { ca });
    await viewer.firstFrame();
    const { width, height } = viewer.size;
    expect(height).toBeLessThanOrEqual(1280);
    const stream = viewer.packets.flatMap((packet) => (packet.type === 'session' ? [] : [packet.data]));
    const decoded = decodeWithFfmpeg(Buffer.concat(stream));
    expect(decoded.length).toBeGreaterThanOrEqual((width * height * 3) / 2);
    expect(decoded.length % ((width * height * 3) / 2)).toBe(0);
    // The double draws a bar on a background of another colour.
    expect(new Set(decoded.subarray(0, width * height)).size).toBeGreaterThan(1);

    const before = viewer.messages.length;
    await controller.call('tap', { x: 0.25, y: 0.75 });
    await viewer.movedSince(before);
    const touches = await until('both ends of the tap', async () => {
      const seen = (await double.report()).events.filter((event) => event.type === 'touch');
      return seen.length >= 2 && seen;
    });
    expect(touches.map(({ action, x, y }) => ({ action, x, y }))).toEqual([
      { action: 0, x: 0.25, y: 0.75 },
      { action: 1, x: 0.25, y: 0.75 },
    ]);
    await controller.call('app.launch', { package: PACKAGE });
    expect((await double.report()).front).toBe(PACKAGE);

    expect((await end(session.session_id)).end_reason).toBe('client');
    await available();
    expect(await double.report()).toMatchObject({ front: null, awake: false, warnings: [] });
    expect(await installed()).toBe(false);
  });

  test('is lost when it is unplugged during a session, which refunds the unused time, and is clean when it is back', async () => {
    const { used } = await usage();
    await using viewer = await Viewer.open(session.stream_url, { ca });
    await viewer.firstFrame();
    await adb.adb('disconnect', double.address);
    await double.do('unplug');
    const lost = await until('the session to end', async () => {
      const now = await sessionOf(session.session_id);
      return now.status === 'disconnected' && now;
    });
    expect(lost).toMatchObject({
      end_reason: 'device_lost',
      minutes_reserved: MINUTES,
      minutes_charged: 1,
    });
    expect(await usage()).toMatchObject({ used: used - MINUTES + 1, reserved: 0 });
    await until('the phone to be offline', async () => (await listAll(api)).length === 0);
    await within('the stream to be closed', viewer.closed);
    await double.do('plugIn');
    await plugIn();
    expect((await available()).id).toBe(device.id);
    expect(await installed()).toBe(false);
  });

  test('is lost when the scrcpy server repeatedly crashes, and is cleaned automatically for the next session', async () => {
    await double.faults({ noUhid: true });
    await using controller = await Controller.ready(session.control_url, { ca });
    // A message that arrives while the server restarts is lost, so the test repeats it
    const asking = setInterval(() => controller.send(UHID_CREATE), 50);
    const closed = within('the control socket to be closed', controller.closed);
    const { code, reason } = await closed.finally(() => clearInterval(asking));
    expect({ code, reason }).toEqual({ code: 4004, reason: expect.stringContaining('Controller error') });
    expect((await sessionOf(session.session_id)).end_reason).toBe('device_lost');
    expect((await available()).id).toBe(device.id);
    expect(await installed()).toBe(false);
    await double.faults({ noUhid: false });
    session = await borrow(device);
    await using viewer = await Viewer.open(session.stream_url, { ca });
    await viewer.firstFrame();
  });

  test('resumes its session after the service is killed, and is cleaned at its end', async () => {
    await service.kill9();
    expect(await installed()).toBe(true);
    await service.restart();
    const again = await connected(api, session);
    expect(again).toMatchObject({ stream_url: session.stream_url, expires_at: session.expires_at });
    expect(await installed()).toBe(true);
    await using viewer = await Viewer.open(again.stream_url, { ca });
    await viewer.firstFrame();
    expect((await end(session.session_id)).end_reason).toBe('client');
    await available();
    expect(await installed()).toBe(false);
  });

  test('is cleaned before the next session if its session expired while the service was down', async () => {
    await service.kill9();
    // The phone is now absent. The first thing that the service learns about it is that the session has ended.
    await adb.adb('disconnect', double.address);
    await service.restart();
    await end(session.session_id);
    expect(await installed()).toBe(true);
    expect(await listAll(api, '&status=available')).toEqual([]);
    await plugIn();
    expect((await available()).id).toBe(device.id);
    expect(await installed()).toBe(false);
  });
});
