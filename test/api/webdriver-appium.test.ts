import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEBDRIVER_CLIENTS } from '../../scripts/install-webdriver-clients.mjs';
import { diagnoseAppium } from '../../src/server/appium.ts';
import { type Config, readConfig } from '../../src/server/config.ts';
import { ROLES } from '../../src/server/roles.ts';
import { start } from '../../src/server/start.ts';
import { silentLog } from '../../src/util/log.ts';
import { until } from '../black-box/kit/wait.ts';
import { freePort } from '../fixtures/free-port.ts';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const PROGRAM = join(WEBDRIVER_CLIENTS, 'node_modules/appium/index.js');
const KEY = `pb_${'k'.repeat(43)}`;
/** The fake driver of Appium reads its screen from a file. */
const SCREEN = `<?xml version="1.0"?><app><MockInputField id="one" /></app>`;
const FAKE = { platformName: 'Fake', 'appium:automationName': 'Fake', 'appium:deviceName': 'Android' };

const opened = new AsyncDisposableStack();
let port: number;
let folder: string;
let config: Config;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-webdriver-'));
  opened.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'app.xml'), SCREEN);
  // An operator may add options of Appium, such as default capabilities, in a script.
  const defaults = JSON.stringify({ 'appium:app': join(folder, 'app.xml') });
  const run = `exec '${process.execPath}' '${PROGRAM}' "$@"`;
  const script = `#!/bin/sh\n[ "$1" = server ] && ${run} --default-capabilities '${defaults}'\n${run}\n`;
  await writeFile(join(folder, 'appium'), script, { mode: 0o755 });
  config = readConfig(
    {},
    {
      ...{ PATH: process.env.PATH, PHONEBOOTH_DATA_DIR: join(folder, 'data'), PHONEBOOTH_ADB: 'off' },
      ...{ PHONEBOOTH_PORT: String(await freePort()), PHONEBOOTH_TLS_PORT: String(await freePort()) },
      ...{ PHONEBOOTH_SIMULATED_PHONES: '1', PHONEBOOTH_API_KEY: KEY },
      ...{ PHONEBOOTH_APPIUM: join(folder, 'appium'), APPIUM_HOME: WEBDRIVER_CLIENTS },
    },
  );
  const running = opened.use(await start(config, ROLES, silentLog));
  port = running.controlPlane!.port;
});
afterAll(() => opened.disposeAsync());

// biome-ignore lint/suspicious/noExplicitAny: answers have no type on the client's side
type Answered = any;

async function send(method: string, path: string, body?: unknown): Promise<Answered> {
  const response = await fetch(`http://localhost:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

const newSession = (capabilities: object = {}) =>
  send('POST', '/wd/hub/session', {
    capabilities: { alwaysMatch: { ...FAKE, 'phonebooth:options': { wait: 90 }, ...capabilities } },
  });

async function created(capabilities: object = {}) {
  const { value } = await newSession(capabilities);
  expect(value.sessionId, JSON.stringify(value)).toMatch(/^ses_/);
  const command = (method: string, path: string, body?: unknown) =>
    send(method, `/wd/hub/session/${value.sessionId}${path}`, body);
  return { id: value.sessionId as string, capabilities: value.capabilities, command };
}

/** The Appium servers of this service, by their command line. */
async function servers(): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words.includes(PROGRAM) && words.some((word) => word.includes(folder));
    } catch {
      return false;
    }
  });
}
const untilNoServer = () => until('no Appium server to be left', async () => (await servers()).length === 0);

test('commands reach a driver of Appium on the host of the phone, which ends with the session', async () => {
  const { id, capabilities, command } = await created();
  expect(capabilities).toMatchObject({ 'phonebooth:options': { session_id: id, kind: 'simulated' } });
  expect(await servers()).toHaveLength(1);
  const { value: found } = await command('POST', '/element', { using: 'xpath', value: '//MockInputField' });
  await command('POST', `/element/${found[ELEMENT]}/value`, { text: 'Hello' });
  expect((await command('GET', `/element/${found[ELEMENT]}/text`)).value).toBe('Hello');
  expect((await command('GET', '/source')).value).toContain('MockInputField');
  expect(Buffer.from((await command('GET', '/screenshot')).value, 'base64').toString('latin1', 1, 4)).toBe(
    'PNG',
  );
  const missing = await command('POST', '/element', { using: 'xpath', value: '//Nothing' });
  expect(missing).toMatchObject({ status: 404, value: { error: 'no such element', stacktrace: '' } });
  // The driver of Appium would read the file on the host.
  const install = await command('POST', '/appium/device/install_app', { appPath: '/etc/passwd' });
  expect(install).toMatchObject({ status: 400, value: { error: 'invalid argument' } });
  expect((await command('GET', '/..%2f..%2fstatus')).value.error).toBe('unknown command');
  expect((await command('DELETE', '')).value).toBeNull();
  await untilNoServer();
  expect((await command('GET', '/source')).value.error).toBe('invalid session id');
});

test('a server that crashes is an error, and the session can be deleted', async () => {
  const { command } = await created();
  for (const pid of await servers()) process.kill(pid, 'SIGKILL');
  await untilNoServer();
  const { status, value } = await command('GET', '/source');
  expect([status, value.error, value.message]).toEqual([
    ...[500, 'unknown error', expect.stringContaining('ended unexpectedly')],
  ]);
  expect((await command('DELETE', '')).value).toBeNull();
});

test('a server ends with its session, whatever ends it', async () => {
  const idle = await created({ 'appium:newCommandTimeout': 1 });
  await until(
    'the session to end',
    async () => (await send('GET', `/v1/sessions/${idle.id}`)).data.status === 'disconnected',
  );
  await untilNoServer();
  const ended = await created();
  await send('POST', `/v1/sessions/${ended.id}/disconnect`);
  await untilNoServer();
});

test('a client must not choose the phone, files or ports of the host, or a driver that is not installed', async () => {
  for (const capabilities of [
    { 'appium:adbPort': 5037 },
    { 'appium:options': { remoteAdbHost: 'other' } },
    { 'appium:chromedriverExecutable': '/bin/sh' },
    { 'goog:chromeOptions': { androidDeviceSerial: 'other' } },
  ])
    expect((await newSession(capabilities)).value).toMatchObject({
      ...{ error: 'invalid argument', message: expect.stringContaining('is set by the host') },
    });
  const { value } = await newSession({ 'appium:automationName': 'UiAutomator2', platformName: 'Android' });
  expect(value).toMatchObject({ error: 'session not created', message: expect.stringMatching(/driver/i) });
  await untilNoServer();
  expect((await send('GET', '/v1/sessions?status=live')).data.items).toEqual([]);
});

test('doctor names the drivers of Appium, or what is wrong', async () => {
  expect(await diagnoseAppium(config)).toEqual([
    { ok: true, message: expect.stringMatching(/^Appium 3\.\d+\.\d+ has the drivers Fake \d/) },
  ]);
  const appium = join(folder, 'missing');
  expect(await diagnoseAppium({ ...config, appium })).toEqual([
    { ok: false, message: expect.stringMatching(/missing \(PHONEBOOTH_APPIUM\) cannot be run: .*ENOENT/) },
  ]);
  expect(await diagnoseAppium({ ...config, appium: null })).toEqual([]);
});
