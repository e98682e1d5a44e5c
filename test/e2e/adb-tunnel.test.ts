import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Session, succeeded } from '../black-box/kit/api.ts';
import { listAll } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { until, within } from '../black-box/kit/wait.ts';
import { ROOT } from '../deploy/deployment.ts';
import { makeApk } from '../fixtures/apk.ts';
import { end } from '../fixtures/process.ts';
import { runCommand } from '../fixtures/service.ts';
import { promised } from '../nightly.ts';
import { AdbRig } from './adb-rig.ts';
import { openPage, sharedChromium } from './browser.ts';
import { expectAccessible } from './console-checks.ts';
import { openTools, signIn, takesCommands } from './console-kit.ts';
import type { Tunnel } from './developer.ts';

const MIB = 1024 * 1024;
const PACKAGE = 'org.acme.over_adb';

let rig: AdbRig;
let folder: string;

beforeAll(async () => {
  // Launched while nothing else is opened or closed
  await sharedChromium();
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-adb-'));
  rig = await AdbRig.start();
});
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('a developer’s adb through the service', () => {
  let session: Session;
  let tunnel: Tunnel;
  const adb = (...args: string[]) => rig.adb('-s', tunnel.address, ...args);

  beforeAll(async () => {
    session = await rig.borrow();
    tunnel = await rig.connect(session);
  });
  afterAll(async () => {
    await tunnel?.[Symbol.asyncDispose]();
    await rig.endSession(session);
  });

  test('lists the phone with its model', async () => {
    const { stdout } = await rig.adb('devices', '-l');
    expect(stdout).toContain(`${tunnel.address} `);
    expect(stdout).toMatch(/device product:pixel_8 model:Pixel_8 device:pixel_8/);
  });

  test('shares the phone with the shell of the console, which recalls commands', async () => {
    const watched = await openPage(await sharedChromium());
    const { page } = watched;
    await page.goto(rig.service.httpOrigin);
    await signIn(page, rig.service.key);
    await page.getByRole('article').first().waitFor();
    await page.goto(`${rig.service.httpOrigin}/sessions/${session.session_id}`);
    await takesCommands(page);
    await openTools(page);
    await page.getByRole('tab', { name: 'Shell' }).click();
    const output = page.getByRole('log', { name: 'Output of the shell' });
    const line = page.getByLabel('Shell command');
    await line.fill('getprop ro.product.model');
    await line.press('Enter');
    await output.getByText('Pixel 8', { exact: true }).waitFor();
    await line.fill('exit 7');
    await line.press('Enter');
    await output.getByText('exit code 7').waitFor();
    await line.press('ArrowUp');
    await line.press('ArrowUp');
    expect(await line.inputValue()).toBe('getprop ro.product.model');
    await expectAccessible(page);
    await watched.screenshot('tools-shell');
    expect(watched.problems).toEqual([]);
    await page.context().close();
  });

  test('runs commands with their output, error output and exit codes', async () => {
    expect(await adb('shell', 'echo', 'hello')).toEqual({ code: 0, stdout: 'hello\n', stderr: '' });
    expect((await adb('shell', 'getprop', 'ro.product.model')).stdout).toBe('Pixel 8\n');
    expect(await adb('shell', 'exit 7')).toMatchObject({ code: 7 });
    expect(await adb('shell', 'nothing')).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('not found'),
    });
  });

  test('pushes and pulls a file unchanged', async () => {
    const [there, back] = [join(folder, 'there'), join(folder, 'back')];
    const bytes = randomBytes(5 * MIB + 13);
    await writeFile(there, bytes);
    expect(await adb('push', there, '/data/local/tmp/file')).toMatchObject({ code: 0 });
    expect((await adb('shell', 'sha256sum /data/local/tmp/file')).code).toBe(0);
    expect(await adb('pull', '/data/local/tmp/file', back)).toMatchObject({ code: 0 });
    expect((await readFile(back)).equals(bytes)).toBe(true);
  });

  test('forwards a port to the phone', async () => {
    const { stdout } = await adb('forward', 'tcp:0', 'tcp:7100');
    const socket = connect(Number(stdout.trim()), '127.0.0.1');
    socket.write('an echo, please');
    const [echoed] = (await within('the echo', once(socket, 'data'))) as [Buffer];
    expect(echoed.toString()).toBe('an echo, please');
    socket.destroy();
    await adb('forward', '--remove-all');
  });

  test('forwards a port of the phone back to the developer, but to no other destination', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).once('data', (data) => socket.end(`${data} and hello to you`));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const listed = async () => (await adb('reverse', '--list')).stdout.trim();
    expect(await adb('reverse', 'localabstract:metro', `tcp:${port}`)).toMatchObject({ code: 0, stderr: '' });
    expect(await listed()).toBe(`(reverse) localabstract:metro tcp:${port}`);
    expect((await adb('shell', 'reach localabstract:metro hello')).stdout).toBe('hello and hello to you');
    // The host's adb server forwards to a port of the host. It never connects to the port that the developer named.
    expect(await rig.host.adb('-s', rig.phone.address, 'reverse', '--list')).not.toContain(`tcp:${port}\n`);
    expect(await adb('reverse', '--remove', 'localabstract:metro')).toMatchObject({ code: 0 });
    expect(await listed()).toBe('');
    expect((await adb('shell', 'reach localabstract:metro hello')).code).toBe(1);
    server.close();
  });

  test('follows the logcat output', async () => {
    const logcat = rig.developer.start('-s', tunnel.address, 'logcat');
    try {
      await until('the log to be streamed', async () => {
        await rig.phone.do('log', 'first of all');
        return logcat.output().includes('first of all');
      });
      await rig.phone.do('log', 'and then this');
      await until('the next log line', () => logcat.output().includes('and then this'));
    } finally {
      await logcat.stop();
    }
  });

  test('carries many concurrent streams', async () => {
    const file = join(folder, 'large');
    await writeFile(file, randomBytes(3 * MIB));
    const pushing = Promise.all([1, 2, 3].map((n) => adb('push', file, `/data/local/tmp/large-${n}`)));
    const words = Array.from({ length: 24 }, (_, n) => `word-${n}`);
    const results = await Promise.all(words.map((word) => adb('shell', 'echo', word)));
    expect(results.map(({ stdout }) => stdout.trim())).toEqual(words);
    expect((await pushing).map(({ code }) => code)).toEqual([0, 0, 0]);
  });

  test.each([
    [['root'], 'adb root is not allowed on a borrowed phone'],
    [['tcpip', '5555'], 'adb tcpip is not allowed on a borrowed phone'],
  ])('rejects %j with an explanation, and the phone stays connected', async (args, words) => {
    const { stdout, stderr } = await adb(...args);
    expect(stdout + stderr).toContain(words);
    expect(await adb('shell', 'echo', 'still here')).toMatchObject({ stdout: 'still here\n' });
  });

  test('works beside the control socket, whose shell works too, and both are audited', async () => {
    await using controller = await Controller.ready(session.control_url, { ca: rig.ca });
    expect(await controller.call('shell', { command: 'echo one; exit 3' })).toEqual({
      exit_code: 3,
      stdout: 'one\n',
      stderr: '',
    });
    const trail = async (action: string) => {
      const query = `action=${action}&target=${session.session_id}`;
      return succeeded(await rig.api.get<{ items: object[] }>(`/admin/audit?${query}`)).items;
    };
    const targets = expect.arrayContaining([
      expect.objectContaining({ kind: 'session', id: session.session_id }),
    ]);
    expect(await trail('adb.open')).toMatchObject([{ code: 0, targets, address: expect.any(String) }]);
    expect((await trail('control.shell'))[0]).toMatchObject({ code: 0, targets });
  });

  test('rejects a port that is in use and an invalid port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const open = (text: string) => runCommand(['adb', session.session_id, '--port', text], rig.environment);
    expect(await open(String(port))).toEqual({
      code: 1,
      stdout: '',
      stderr: `phonebooth: port ${port} of 127.0.0.1 is in use by another program; choose another port with --port\n`,
    });
    expect(await open('70000')).toMatchObject({ code: 2, stderr: expect.stringContaining('must be a port') });
    server.close();
  });

  test('reconnects after the developer’s adb has disconnected', async () => {
    await rig.adb('disconnect', tunnel.address);
    await until('the phone to disappear', async () => (await rig.developer.stateOf(tunnel)) === undefined);
    await rig.adb('connect', tunnel.address);
    await until('the phone to be back', async () => (await rig.developer.stateOf(tunnel)) === 'device');
    expect((await adb('shell', 'echo', 'back')).stdout).toBe('back\n');
  });
});

describe('last words', () => {
  let session: Session;

  beforeEach(async () => {
    session = await rig.borrow();
  });
  afterEach(async () => {
    await rig.endSession(session);
    await rig.adb('disconnect');
  });

  test('disconnects within 2 s of the end of the session with the reason, and leaves nothing on the phone', async () => {
    await using tunnel = await rig.connect(session);
    const file = join(folder, 'app.apk');
    await writeFile(file, makeApk({ packageName: PACKAGE, label: 'Over adb' }));
    expect((await rig.adb('-s', tunnel.address, 'install', file)).stdout).toContain('Success');
    expect((await rig.phone.report()).packages).toContain(PACKAGE);
    await rig.adb('-s', tunnel.address, 'reverse', 'localabstract:left', 'tcp:1');
    const ended = once(tunnel.launched.child, 'close').then(() => performance.now());
    await rig.endSession(session);
    const since = performance.now();
    await until('adb to list the phone', async () => (await rig.developer.stateOf(tunnel)) !== 'device', {
      deadlineMs: promised(2_000),
    });
    expect((await within('the command to exit', ended)) - since).toBeLessThan(promised(2_000));
    expect(tunnel.launched.child.exitCode).toBe(0);
    expect(tunnel.launched.stdout()).toContain('the client ended the session');
    session = await rig.borrow();
    const { packages } = await rig.phone.report();
    expect(packages).not.toContain(PACKAGE);
    expect(packages).toContain('org.acme.notes');
    expect((await rig.host.adb('-s', rig.phone.address, 'reverse', '--list')).trim()).toBe('');
  });

  test('kill -9 of the command releases everything, and the session continues', async () => {
    const tunnel = await rig.connect(session);
    const { streams } = await rig.phone.report();
    const logcat = rig.developer.start('-s', tunnel.address, 'logcat');
    await until('the log to be streamed', async () => {
      await rig.phone.do('log', 'over the tunnel');
      return logcat.output().includes('over the tunnel');
    });
    await until('the tunnel to open', async () => (await rig.figure('phonebooth_adb_tunnels')) === 1);
    await end(tunnel.launched.child, 'SIGKILL');
    await until('nothing to remain of it', async () => (await rig.figure('phonebooth_adb_tunnels')) === 0);
    await until('its stream to close', async () => (await rig.phone.report()).streams <= streams);
    await logcat.stop();
    await using again = await rig.connect(session);
    expect((await rig.adb('-s', again.address, 'shell', 'echo', 'on')).stdout).toBe('on\n');
  });
});

test('explains that a phone does not support adb', async () => {
  const session = await rig.borrow('sim');
  await expect(rig.open(session)).rejects.toThrow('phonebooth: simulated phones do not support adb');
  await rig.endSession(session);
});

test('examples/adb.sh connects to the phone with adb and ends the session', async () => {
  const { device_id } = await rig.endSession(await rig.borrow());
  await until('the phone to be available again', async () =>
    (await listAll(rig.api, '&status=available')).some(({ id }) => id === device_id),
  );
  const env = {
    ...process.env,
    ...rig.developer.environment,
    PHONEBOOTH: `${process.execPath} bin/phonebooth.mjs`,
    PHONEBOOTH_URL: rig.service.httpOrigin,
    PHONEBOOTH_API_KEY: rig.service.key,
  };
  const words = ['examples/adb.sh', '--device', device_id];
  const { stdout } = await promisify(execFile)('bash', words, { env, cwd: ROOT, timeout: 90_000 });
  expect(stdout).toContain('\nPixel 8\n');
  expect(stdout).toContain('The session has ended');
  const { items } = succeeded(await rig.api.get<{ items: Session[] }>('/sessions?page_size=1'));
  expect(items[0]).toMatchObject({ device_id, status: 'disconnected', end_reason: 'client' });
});

test('explains that the session has ended', async () => {
  const session = await rig.borrow();
  await rig.endSession(session);
  await expect(rig.open(session)).rejects.toThrow('the session has ended');
});

/** Sends a command of a WebDriver client, and returns the value of the answer. */
async function webDriver<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${rig.service.httpOrigin}/wd/hub/session${path}`, {
    ...{ method, headers: { authorization: `Bearer ${rig.service.key}` } },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as { value: T };
  expect(response.status, JSON.stringify(value)).toBe(200);
  return value;
}

interface CreatedSession {
  sessionId: string;
  capabilities: Record<string, unknown>;
}

const newSession = (capabilities: object = {}) => {
  const alwaysMatch = { 'phonebooth:options': { kind: 'physical', wait: 120 }, ...capabilities };
  return webDriver<CreatedSession>('POST', '', { capabilities: { alwaysMatch } });
};

test('a WebDriver client finds elements of an Android phone, runs shell commands and reads the log', async () => {
  const { sessionId } = await newSession({ timeouts: { implicit: 60_000 } });
  const post = <T>(path: string, body: object) => webDriver<T>('POST', `/${sessionId}${path}`, body);
  const mobile = (name: string, args: object) =>
    post<string>('/execute/sync', { script: `mobile: ${name}`, args: [args] });
  await mobile('pressKey', { keycode: 224 });
  const found = await post<Record<string, string>>('/element', { using: 'id', value: 'button' });
  const element = `/${sessionId}/element/${Object.values(found)[0]}`;
  expect(await webDriver('GET', `${element}/text`)).toBe('Terms & "more"');
  await webDriver('POST', `${element}/click`, {});
  expect(await mobile('shell', { command: 'echo', args: ["it's", '$HOME'] })).toBe("it's $HOME\n");
  await post('/log', { type: 'logcat' });
  await rig.phone.do('log', 'for the client');
  await until('the line of the log', async () =>
    (await post<{ message: string }[]>('/log', { type: 'logcat' })).some(({ message }) =>
      message.includes('for the client'),
    ),
  );
  await webDriver('DELETE', `/${sessionId}`);
});

test('a driver of Appium gets the phone of its session and its adb server', async () => {
  const { sessionId, capabilities } = await newSession({ 'appium:automationName': 'UiAutomator2' });
  expect(capabilities).toMatchObject({
    'appium:automationName': 'UiAutomator2',
    'appium:adbPort': rig.host.port,
    'phonebooth:options': { kind: 'physical' },
  });
  expect(capabilities['appium:systemPort']).toEqual(expect.any(Number));
  await webDriver('DELETE', `/${sessionId}`);
});
