import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type App, type Session, succeeded } from '../black-box/kit/api.ts';
import { connected, listAll } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import { makeApk } from '../fixtures/apk.ts';
import { AdbServerProcess } from '../fixtures/phone-double/adb-server.ts';
import { type PhoneHandle, Phones } from '../fixtures/phone-double/phones.ts';
import { scrcpyServerFile } from '../fixtures/scrcpy-server-file.ts';
import { startService } from '../fixtures/service.ts';

const PACKAGE = 'org.acme.asked';
/** MIUI's prompt. */
const WINDOW = 'com.miui.securitycenter/com.miui.permcenter.install.AdbInstallActivity';
/** The prompt may stay for a minute and is looked for every 5 s. The phone itself would be waited for for 5 minutes. */
const UNANSWERED_MS = 120_000;

let opened: AsyncDisposableStack;
let double: PhoneHandle;
let api: Api;
let ca: string;
let app: App;

beforeAll(async () => {
  await using opening = new AsyncDisposableStack();
  const phones = opening.use(Phones.start());
  const adb = opening.use(await AdbServerProcess.start());
  double = await phones.add({ width: 360, height: 800 });
  await double.faults({ installPrompt: WINDOW });
  await adb.adb('connect', double.address);
  const settings = {
    PHONEBOOTH_ADB: `127.0.0.1:${adb.port}`,
    PHONEBOOTH_SIMULATED_PHONES: '0',
    PHONEBOOTH_ANDROID_MAX_SIZE: '640',
    PHONEBOOTH_SCRCPY_SERVER: await scrcpyServerFile(),
  };
  const service = opening.use(await startService({ settings }));
  const description = await Description.fetch(service.baseUrl, undefined);
  api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
  ca = readFileSync(service.caFile, 'utf8');
  const headers = { 'content-type': 'application/octet-stream' };
  app = succeeded(await api.post<App>('/apps', makeApk({ packageName: PACKAGE }), { headers }));
  opened = opening.move();
});
afterAll(() => opened?.disposeAsync());

const sessionOf = async (id: string) => succeeded(await api.get<Session>(`/sessions/${id}`));
const end = async (id: string) => succeeded(await api.post<Session>(`/sessions/${id}/disconnect`));
const packages = async () => (await double.report()).packages;
const available = () =>
  until('the phone to be available', async () => (await listAll(api, '&status=available'))[0]);

async function borrow(): Promise<Session> {
  const { id } = await available();
  const body = { duration: 5, app_id: app.id };
  return connected(api, succeeded(await api.post<Session>(`/devices/${id}/connect`, body)));
}

test('an install prompt that is answered on the screen lets the app in', async () => {
  const { session_id, control_url } = await borrow();
  await using controller = await Controller.ready(control_url, { ca });
  const isInstalled = async () => {
    const { app_status, app_error } = await sessionOf(session_id);
    if (app_status === 'failed') throw new Error(`the install failed: ${app_error}`);
    return app_status === 'installed';
  };
  // A tap before the prompt is shown does not answer it. The double encodes frames for each tap, so taps in quick
  // succession would keep it from serving adb.
  const tapUntilInstalled = async () => {
    await controller.call('tap', { x: 0.75, y: 0.9 });
    return isInstalled();
  };
  await until('the app to be there', tapUntilInstalled, { everyMs: 500 });
  expect(await packages()).toContain(PACKAGE);
  await end(session_id);
  await available();
  expect(await packages()).not.toContain(PACKAGE);
});

test('an unanswered install prompt fails the install within two minutes with an error that names the window', async () => {
  const { session_id } = await borrow();
  const isOver = async () => {
    const session = await sessionOf(session_id);
    return session.app_status === 'failed' && session;
  };
  const { status, app_error } = await until('the install to fail', isOver, { deadlineMs: UNANSWERED_MS });
  expect(status).toBe('connected');
  expect(app_error).toMatch(/^The phone asked on its screen whether to allow the app/);
  expect(app_error).toContain(WINDOW);
  expect(await packages()).not.toContain(PACKAGE);
  await end(session_id);
  await available();
});
