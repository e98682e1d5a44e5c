import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import type { Session } from '../../src/contract/http/session.ts';
import { until } from '../black-box/kit/wait.ts';
import { makeApk } from '../fixtures/apk.ts';
import { freePort } from '../fixtures/free-port.ts';
import { launch } from '../fixtures/process.ts';
import { type Finished, runCommand, type Service, startService } from '../fixtures/service.ts';

let service: Service;
let folder: string;
let api: PhoneboothClient;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '2' } });
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-command-'));
  api = new PhoneboothClient({ baseUrl: service.baseUrl, key: service.key });
  await allFree();
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command with the key that the service keeps in its data folder. */
const phonebooth = (...args: string[]): Promise<Finished> =>
  runCommand(args, { ...service.env, PHONEBOOTH_URL: service.httpOrigin });

const allFree = () =>
  until('two available phones', async () => (await api.listDevices({ status: 'available' })).total === 2);

test('lists phones as a table and as JSON', async () => {
  const { stdout, code } = await phonebooth('devices');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ID +NAME +BRAND +OS +KIND +STATUS\n/);
  expect(stdout.trim().split('\n')).toHaveLength(3);
  const all = JSON.parse((await phonebooth('devices', '--json')).stdout);
  expect(all).toEqual((await api.listDevices()).items);
  const lines = (await phonebooth('devices', '--status', 'available', '--jsonl')).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(all);
});

test('lists and extends sessions, and uses the phone of a session', async () => {
  expect(await phonebooth('sessions')).toMatchObject({ code: 0, stdout: 'No live sessions.\n' });
  const borrowed = JSON.parse((await phonebooth('connect', '--minutes', '5', '--json')).stdout) as Session;
  const id = borrowed.session_id;
  const extended = JSON.parse((await phonebooth('extend', '3', '--json')).stdout) as Session;
  expect(Date.parse(extended.expires_at) - Date.parse(borrowed.expires_at)).toBe(3 * 60_000);
  const listed = JSON.parse((await phonebooth('sessions', '--json')).stdout) as Session[];
  expect(listed).toMatchObject([{ session_id: id, minutes_reserved: 8 }]);
  expect((await phonebooth('sessions')).stdout).toMatch(new RegExp(`${id} +${borrowed.device_id} +connect`));

  const notes = 'com.phonebooth.notes';
  expect((await phonebooth('apps', '--installed')).stdout).toMatch(new RegExp(`${notes} +Notes +system`));
  expect(await phonebooth('launch', notes)).toMatchObject({ code: 0, stderr: '' });
  await until(
    'the app on the screen',
    async () => !(await phonebooth('ui')).stdout.includes('icon-com.phonebooth.notes'),
  );
  expect(await phonebooth('swipe', '0.5', '0.8', '0.5', '0.2', '--ms', '100')).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(JSON.parse((await phonebooth('ui', '--json')).stdout)).toMatchObject({
    role: 'phone',
    children: expect.any(Array),
  });
  expect((await phonebooth('completion', '--values', 'sessions')).stdout).toMatch(
    new RegExp(`^${id}\t${borrowed.device_id}, connect`),
  );
  await phonebooth('disconnect');
  const ended = JSON.parse((await phonebooth('sessions', '--all', '--json')).stdout) as Session[];
  expect(ended.find(({ session_id }) => session_id === id)).toMatchObject({ end_reason: 'client' });
  await allFree();
});

test('prints events as JSON lines until it is stopped', async () => {
  const env = { ...service.env, PHONEBOOTH_URL: service.httpOrigin };
  const listening = launch(['events', '--jsonl'], env);
  const exit = once(listening.child, 'exit');
  const events = () => {
    const whole = listening.stdout().slice(0, listening.stdout().lastIndexOf('\n') + 1);
    return whole
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  // A change before the stream is open is not reported, so there are changes until one is.
  const ids: string[] = [];
  await until('an event of a session', async () => {
    const { session_id: id } = await api.borrow({ duration: 5, wait: 60 });
    ids.push(id);
    await api.disconnect(id);
    // On a busy machine the command prints an event only while the next session runs.
    return events().some(({ event, data }) => event === 'session.changed' && ids.includes(data.session_id));
  });
  expect(events()[0]).toMatchObject({ id: expect.any(String), event: expect.any(String) });
  listening.child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  await allFree();
});

test('rotates the secret of a webhook, and disables and enables it', async () => {
  expect(await phonebooth('webhooks', 'add', 'http://localhost/hook')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^phonebooth: address must have a host on the public Internet/),
  });
  const created = await phonebooth('webhooks', 'add', 'https://example.com/hook', '--json');
  const { id, secret } = JSON.parse(created.stdout);
  const rotated = JSON.parse((await phonebooth('webhooks', 'rotate', id, '--json')).stdout);
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(secret);
  expect((await phonebooth('webhooks', 'disable', id)).stdout).toBe(`Webhook ${id} is disabled.\n`);
  expect(await api.webhooks.get(id)).toMatchObject({ active: false });
  expect((await phonebooth('webhooks', 'enable', id)).stdout).toBe(`Webhook ${id} is enabled.\n`);
  expect(await api.webhooks.get(id)).toMatchObject({ active: true });
  await phonebooth('webhooks', 'remove', id);
});

test('doctor checks the address, the certificate, the key and the clock of a service', async () => {
  const secure = `https://localhost:${service.env.PHONEBOOTH_TLS_PORT}`;
  const unknown = await phonebooth('doctor', '--url', secure);
  expect(unknown).toMatchObject({
    code: 1,
    stdout: `FIX cannot reach ${secure}: its certificate is from an unknown authority. Set NODE_EXTRA_CA_CERTS to the PEM file of the certificate authority that issued it.\n`,
  });
  const trusting = { ...service.env, NODE_EXTRA_CA_CERTS: service.caFile };
  const trusted = await runCommand(['doctor', '--url', secure, '--json'], trusting);
  expect(trusted.code).toBe(0);
  expect(JSON.parse(trusted.stdout)).toEqual([
    { ok: true, message: `${secure} is a Phonebooth service` },
    { ok: true, message: expect.stringMatching(/^the certificate is trusted and expires in \d+ days$/) },
    { ok: true, message: 'the API key is valid: account default, role admin' },
    { ok: true, message: expect.stringContaining('the clock of this machine agrees') },
  ]);
  const wrongKey = { ...service.env, PHONEBOOTH_API_KEY: `pb_${'x'.repeat(43)}` };
  const refused = await runCommand(['doctor', '--url', service.httpOrigin], wrongKey);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(/^FIX the API key is invalid.* Check PHONEBOOTH_API_KEY\.$/m);
});

test('borrows a phone, uses it without naming it and ends the session', async () => {
  const { stdout, stderr, code } = await phonebooth('connect', '--minutes', '5');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const id = stdout.split('\n')[0]!;
  expect((await api.getSession(id)).minutes_reserved).toBe(5);
  expect(await phonebooth('tap', '0.5', '0.5')).toMatchObject({ code: 0 });
  expect(await phonebooth('key', 'HOME')).toMatchObject({ code: 0 });
  const file = join(folder, 'screen.png');
  expect(await phonebooth('screenshot', file)).toMatchObject({ code: 0 });
  expect((await readFile(file)).toString('latin1', 1, 4)).toBe('PNG');
  expect(await phonebooth('conditions', '--dark-mode', 'on', '--font-scale', '1.3')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^dark_mode +on\nfont_scale +1\.3\n.*\nproxy +- \(cannot be changed: /s),
  });
  expect(await phonebooth('conditions', '--dark-mode', 'off', '--time-zone', 'Mars/Olympus')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('time-zone must be an IANA time zone, such as Europe/Paris'),
  });
  const { stdout: conditions } = await phonebooth('conditions', '--json');
  expect(JSON.parse(conditions).values).toMatchObject({ dark_mode: true, font_scale: 1.3 });
  const pulled = join(folder, 'pulled.png');
  expect(await phonebooth('files', 'push', file)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\/sdcard\/Download\/screen\.png has \d+ bytes\./),
  });
  expect((await phonebooth('files', 'list', 'Download')).stdout).toMatch(/^KIND .*\nfile .* screen\.png\n$/);
  expect(await phonebooth('files', 'pull', 'Download/screen.png', pulled)).toMatchObject({ code: 0 });
  expect((await readFile(pulled)).equals(await readFile(file))).toBe(true);
  expect(await phonebooth('files', 'pull', 'Download/screen.png', pulled)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('pulled.png exists already; choose'),
  });
  await writeFile(`${pulled}.other.part`, '');
  expect(await phonebooth('files', 'pull', 'Download/screen.png', `${pulled}.other`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('pulled.png.other.part exists already'),
  });
  expect(await phonebooth('files', 'delete', 'Download/screen.png')).toMatchObject({ code: 0 });
  expect(await phonebooth('disconnect')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The session has ended; (1 minute|[2-5] minutes) charged\.\n$/),
  });
  expect(await phonebooth('tap', '0.5', '0.5')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'the account has no live session; borrow a phone with phonebooth connect',
    ),
  });
  await allFree();
});

test('installs an app, without a progress bar if there is no terminal', async () => {
  const file = join(folder, 'app.apk');
  await writeFile(file, makeApk({ packageName: 'com.example.cli', label: 'From a shell' }));
  const { stdout } = await phonebooth('connect', '--minutes', '5');
  const session = ['--session', stdout.split('\n')[0]!];
  const installed = await phonebooth('install', file, ...session);
  expect(installed).toMatchObject({ code: 0, stderr: '' });
  expect(installed.stdout).toContain('From a shell');
  expect(installed.stdout).toContain('com.example.cli');
  const note = join(folder, 'note.txt');
  await writeFile(note, 'not an app');
  expect(await phonebooth('install', note, ...session)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`phonebooth: ${note} is not an Android app`),
  });
  const missing = join(folder, 'missing.apk');
  expect(await phonebooth('install', missing, ...session)).toMatchObject({
    code: 1,
    stderr: `phonebooth: cannot open ${missing}: no such file or directory. Check the path and its permissions.\n`,
  });
  await phonebooth('disconnect');
  await allFree();
});

test('run borrows a phone for a command and exits with the command’s exit code', async () => {
  const script = 'console.log(process.env.PHONEBOOTH_SESSION_ID); process.exit(7)';
  const words = ['run', '--minutes', '5', '--', process.execPath, '-e', script];
  const { stdout, stderr, code } = await phonebooth(...words);
  expect({ stderr, code }).toEqual({ stderr: '', code: 7 });
  expect(await api.getSession(stdout.trim())).toMatchObject({ status: 'disconnected', end_reason: 'client' });
  await allFree();
});

test('records a session, and downloads, lists and deletes what was recorded', async () => {
  const { stdout } = await phonebooth('connect', '--minutes', '5', '--record', '--json');
  const { session_id: id } = JSON.parse(stdout) as Session;
  expect(await phonebooth('tap', '0.5', '0.5')).toMatchObject({ code: 0 });
  expect((await phonebooth('sessions')).stdout).toMatch(new RegExp(`^${id} .* recording$`, 'm'));
  expect((await phonebooth('disconnect')).stdout).toContain(`phonebooth artifacts download ${id}`);
  const to = join(folder, 'recording');
  const download = ['artifacts', 'download', id, '--to', to, '--wait', '120', '--json'];
  const { stderr, code, stdout: saved } = await phonebooth(...download);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const names = JSON.parse(saved).map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['video-1.mp4', 'events.jsonl']));
  expect((await readFile(join(to, 'video-1.mp4'))).toString('latin1', 4, 8)).toBe('ftyp');
  expect(await readFile(join(to, 'events.jsonl'), 'utf8')).toMatch(/"method":"tap"/);
  expect((await phonebooth('artifacts', 'list', id)).stdout).toMatch(
    /^KIND .*\n(.*\n)*video +video-1\.mp4 +\d/,
  );
  expect((await phonebooth('artifacts', 'delete', id, '--kind', 'video')).stdout).toBe(
    'Deleted 1 artifact.\n',
  );
  expect((await phonebooth('artifacts', 'list', id)).stdout).not.toContain('video-1.mp4');
  await allFree();
});

test('records the sessions of an account by default, until its operator turns that off', async () => {
  const set = async (...options: string[]) =>
    JSON.parse((await phonebooth('accounts', 'set', 'default', ...options, '--json')).stdout);
  expect(
    await set('--record-sessions', 'on', '--artifact-storage', '100', '--artifact-retention', '14'),
  ).toMatchObject({ record_sessions: true, max_artifact_bytes: 100 * 1024 * 1024, artifact_days: 14 });
  const isRecorded = async (...options: string[]) => {
    const { stdout } = await phonebooth('connect', '--json', ...options);
    await phonebooth('disconnect');
    await allFree();
    return JSON.parse(stdout).recording !== null;
  };
  expect(await isRecorded()).toBe(true);
  expect(await isRecorded('--no-record')).toBe(false);
  const off = [
    '--record-sessions',
    'off',
    '--artifact-storage',
    'unlimited',
    '--artifact-retention',
    'unlimited',
  ];
  const unlimited = { record_sessions: false, max_artifact_bytes: null, artifact_days: null };
  expect(await set(...off)).toMatchObject(unlimited);
});

test('run --record saves the recording of a command that fails, and deletes that of one that succeeds', async () => {
  const recordings = join(folder, 'recordings');
  const script = 'console.log(process.env.PHONEBOOTH_SESSION_ID); process.exit(Number(process.argv[1]))';
  const run = async (exit: number) => {
    const words = ['run', '--minutes', '5', '--record', recordings, '--', process.execPath, '-e', script];
    const { stdout, stderr, code } = await phonebooth(...words, String(exit));
    expect(code, stderr).toBe(exit);
    return { id: stdout.trim(), stderr };
  };
  const failed = await run(7);
  expect(failed.stderr).toContain(`The recording is in ${join(recordings, failed.id)}: `);
  expect(await readdir(join(recordings, failed.id))).toContain('events.jsonl');
  const succeeded = await run(0);
  expect(succeeded.stderr).toBe('');
  expect(await api.listArtifacts(succeeded.id)).toEqual({ items: [] });
  expect(await readdir(recordings)).toEqual([failed.id]);
  await allFree();
});

test('waits in the queue until a phone is available, and prints its position', async () => {
  for (const _ of [1, 2]) await phonebooth('connect', '--minutes', '5');
  const words = ['run', '--wait', '120', '--', process.execPath, '-e', '0'];
  const waiting = launch(words, { ...service.env, PHONEBOOTH_URL: service.httpOrigin });
  const exit = once(waiting.child, 'exit');
  await until('its queue position', () => waiting.stderr().includes('of 2 phones: position 1'));
  const { items } = await api.listSessions({ page_size: 2 });
  for (const { session_id } of items) await api.disconnect(session_id);
  expect(await exit).toEqual([0, null]);
  await allFree();
});

test('run ends the session if the command cannot be run', async () => {
  const { stderr, code } = await phonebooth('run', '--', '/no/such/program');
  expect({ stderr, code }).toEqual({
    stderr: expect.stringContaining('cannot run /no/such/program: it was not found'),
    code: 1,
  });
  await allFree();
});

/** A command that runs `first`, prints its part of the environment of `run`, and then runs `rest`. */
const shard = (rest: string, first = '') => {
  const names = ['SHARD_INDEX', 'SHARD_TOTAL', 'SESSION_ID', 'DEVICE_ID'];
  const values = names.map((name) => `process.env.PHONEBOOTH_${name}`).join(',');
  return ['--', process.execPath, '-e', `${first};console.log([${values}].join(' '));${rest}`];
};
/** The lines that `shard` printed, with their prefixes. */
const shardsIn = (stdout: string) =>
  [...stdout.matchAll(/^\[(\d)\/2 ([^\]]+)\] (\d) (\d) (ses_\S+) (\S+)$/gm)].map(
    ([, prefix, name, index, total, session, device]) => ({ prefix, name, index, total, session, device }),
  );
const liveSessions = async () =>
  (await api.listSessions({ page_size: 20 })).items.filter(({ status }) => status !== 'disconnected');

test('run --phones runs the command on each phone, and exits with the highest exit code', async () => {
  const script =
    'if (process.env.PHONEBOOTH_SHARD_INDEX === "1") process.exit(7); process.kill(process.pid, 9)';
  const { stdout, stderr, code } = await phonebooth('run', '--phones', '2', ...shard(script));
  expect(code, stderr).toBe(137);
  const shards = shardsIn(stdout).toSorted((a, b) => Number(a.index) - Number(b.index));
  expect(shards).toMatchObject([
    { prefix: '1', index: '1', total: '2' },
    { prefix: '2', index: '2', total: '2' },
  ]);
  expect(new Set(shards.map(({ device }) => device)).size).toBe(2);
  for (const { session, device, name } of shards) {
    expect((await api.getDevice(device!)).name).toBe(name);
    expect(await api.getSession(session!)).toMatchObject({ status: 'disconnected', end_reason: 'client' });
  }
  expect(stderr.split('\n').toSorted().join('\n')).toBe(
    shards.map(({ name }, at) => `\n[${at + 1}/2 ${name}] exited with ${[7, 137][at]}`).join(''),
  );
  await allFree();
});

test('run --phones ends all sessions when it is stopped, while the commands run and while it waits', async () => {
  const env = { ...service.env, PHONEBOOTH_URL: service.httpOrigin };
  // The second command ignores the signal.
  const handler =
    'process.on("SIGTERM", () => process.env.PHONEBOOTH_SHARD_INDEX === "1" && process.exit(0))';
  const command = shard('setInterval(() => {}, 1000)', handler);
  const running = launch(['run', '--phones', '2', ...command], env);
  const exit = once(running.child, 'exit');
  await until('both commands to run', () => shardsIn(running.stdout()).length === 2);
  running.child.kill('SIGTERM');
  expect(await exit, running.stderr()).toEqual([137, null]);
  expect(await liveSessions()).toEqual([]);
  await allFree();

  const other = await api.borrow({ duration: 5 });
  const waiting = launch(['run', '--phones', '2', '--wait', '120', ...shard('')], env);
  const waitingExit = once(waiting.child, 'exit');
  await until('one of two phones', () => waiting.stderr().includes('Waiting: 1 of 2 phones borrowed.'));
  waiting.child.kill('SIGINT');
  expect(await waitingExit, waiting.stderr()).toEqual([130, null]);
  expect((await liveSessions()).map(({ session_id: id }) => id)).toEqual([other.session_id]);
  expect(waiting.stdout()).toBe('');
  await api.disconnect(other.session_id);
  await allFree();
});

test('run --phones needs all phones, unless it starts the commands as phones are available', async () => {
  expect(await phonebooth('run', '--phones', '3', ...shard(''))).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('needs 3 phones at the same time, and only 2 match'),
  });
  const other = await api.borrow({ duration: 5 });
  const missing = await phonebooth('run', '--phones', '2', ...shard(''));
  expect(missing).toMatchObject({ code: 3, stdout: '' });
  expect((await liveSessions()).map(({ session_id: id }) => id)).toEqual([other.session_id]);
  await until('an available phone', async () => (await api.listDevices({ status: 'available' })).total === 1);
  const words = ['run', '--phones', '2', '--as-available', '--wait', '120', ...shard('')];
  const { stdout, code, stderr } = await phonebooth(...words);
  expect(code, stderr).toBe(0);
  const shards = shardsIn(stdout);
  expect(shards.map(({ index }) => index).toSorted()).toEqual(['1', '2']);
  // Both commands used the only phone that was available, one after the other.
  expect(new Set(shards.map(({ device }) => device)).size).toBe(1);
  await api.disconnect(other.session_id);
  await allFree();
});

test('run gives the command what a WebDriver client needs to use the borrowed phone', async () => {
  const script = `
    const { PHONEBOOTH_WEBDRIVER_URL: url, PHONEBOOTH_SESSION_ID: session_id, PHONEBOOTH_API_KEY: key } = process.env;
    const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
    const alwaysMatch = { platformName: 'Android', 'phonebooth:options': { session_id } };
    const body = JSON.stringify({ capabilities: { alwaysMatch } });
    const { value } = await (await fetch(url + '/session', { method: 'POST', headers, body })).json();
    console.log(session_id === value.capabilities?.['phonebooth:options'].session_id, value);`;
  const program = join(folder, 'attach.mjs');
  await writeFile(program, script);
  const { stdout, code } = await phonebooth('run', '--', process.execPath, program);
  expect({ stdout, code }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^true /) });
  await allFree();
});

test.each([
  [['tap', '2', '0.5'], "invalid for argument 'x': it must be a number from 0 to 1"],
  [['keys', 'create', '--account', 'a\tb'], 'must be 1 to 100 characters on one line'],
  [['key', 'home'], 'must be the name of an Android key such as HOME'],
  [['connect', '--minutes', '0'], "argument '0' is invalid: it must be a whole number of minutes"],
  [['record', 'a.mp4', '--seconds', '0'], 'must be a whole number of seconds from 1 to 604800'],
  [
    ['keys', 'create', '--account', 'default', '--days', '0'],
    'must be a whole number of days from 1 to 3650',
  ],
  [['devices', '--url', 'phones'], '--url must be a URL such as https://phones.example.com'],
  [['run'], 'missing required argument'],
  [['run', '--phones', '0', '--', 'true'], 'must be a whole number from 1 to 100'],
  [['run', '--phones', '2', '--device', 'a', '--', 'true'], 'cannot be used with'],
  [['run', '--as-available', '--', 'true'], '--as-available requires --phones'],
  [
    ['accounts', 'set', 'default', '--artifact-retention', '0'],
    'must be a whole number from 1 to 3650, or unlimited',
  ],
  [['run', '--keep-recording', '--', 'true'], '--keep-recording requires --record'],
  [['run', '--record', '/dev/null/a', '--', 'true'], '--record cannot create the folder /dev/null/a'],
])('rejects %j before it sends a request', async (args, words) => {
  const { stderr, code } = await phonebooth(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test('explains what is missing if no key is set', async () => {
  const nowhere = { ...service.env, PHONEBOOTH_DATA_DIR: join(folder, 'empty') };
  const { stderr, code } = await runCommand(['devices'], nowhere);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^phonebooth: PHONEBOOTH_API_KEY is not set/);
});

test('records the screen without taking control', async () => {
  await phonebooth('connect', '--minutes', '5');
  const file = join(folder, 'session.mp4');
  expect(await phonebooth('record', file, '--seconds', '2')).toMatchObject({ code: 0, stdout: `${file}\n` });
  expect((await readFile(file)).toString('latin1', 4, 8)).toBe('ftyp');
  expect(await phonebooth('record', join(folder, 'no/such/folder.mp4'))).toMatchObject({ code: 1 });
  await phonebooth('disconnect');
  await allFree();
});

test('logs asks before it takes control, and fails when another client takes control', async () => {
  await phonebooth('connect', '--minutes', '5');
  expect(await phonebooth('logs')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--take-control is required'),
  });
  // A takeover before the phone has answered the first command of `logs` is reported as a lost connection.
  await until('logs to report that it lost control', async () => {
    const logs = launch(['logs', '--take-control'], { ...service.env, PHONEBOOTH_URL: service.httpOrigin });
    const exit = once(logs.child, 'exit');
    // Before `logs` holds the control lease, a tap cannot take it over.
    const tapped = async () => (await phonebooth('tap', '0.5', '0.5')).code === 0 && logs.isOver();
    await until('logs to exit', tapped);
    expect(await exit).toEqual([1, null]);
    return logs.stderr().includes('another client took control of the phone');
  });
  await phonebooth('disconnect');
  await allFree();
});

test('exits with a code that indicates the kind of failure', async () => {
  const codeOf = async (...args: string[]) => (await phonebooth(...args)).code;
  expect(await codeOf('connect', '--device', 'no-such-phone')).toBe(3);
  expect(await codeOf('connect', '--minutes', 'many')).toBe(2);
  expect(await phonebooth('connect', '--minutes', '99999')).toMatchObject({
    code: 2,
    stderr: 'phonebooth: minutes must be a whole number from 1 to 480\n',
  });
  const stopped = `http://127.0.0.1:${await freePort()}`;
  expect(await phonebooth('devices', '--url', stopped)).toMatchObject({
    code: 6,
    stderr: `phonebooth: cannot reach ${stopped}: connection refused. Check --url or PHONEBOOTH_URL.\n`,
  });
  const wrongKey = {
    ...service.env,
    PHONEBOOTH_URL: service.httpOrigin,
    PHONEBOOTH_API_KEY: `pb_${'x'.repeat(43)}`,
  };
  expect((await runCommand(['devices'], wrongKey)).code).toBe(7);
  const { stdout } = await phonebooth('connect', '--minutes', '5', '--json');
  const { session_id: id, device_id: device } = JSON.parse(stdout);
  expect(await codeOf('connect', '--device', device)).toBe(3);
  await phonebooth('disconnect');
  expect(await codeOf('tap', '0.5', '0.5', '--session', id)).toBe(5);
  await allFree();
});

test('connect opens the page of the session on a terminal', async () => {
  const opened = join(folder, 'opened');
  const programs = await mkdtemp(join(folder, 'bin-'));
  await writeFile(join(programs, 'xdg-open'), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 });
  const env = { ...service.env, PHONEBOOTH_URL: service.httpOrigin, PATH: `${programs}:${process.env.PATH}` };
  // `script` (util-linux) runs its command on a terminal.
  const command = `"${process.execPath}" bin/phonebooth.mjs connect --minutes 5`;
  const { status } = spawnSync('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  expect(status).toBe(0);
  const { items } = await api.listSessions({ page_size: 1 });
  const page = `${service.httpOrigin}/sessions/${items[0]!.session_id}`;
  await until(
    'the page to be opened',
    async () => (await readFile(opened, 'utf8').catch(() => '')).trim() === page,
  );
  await phonebooth('disconnect');
  await allFree();
});

test('socket addresses remain valid after one rotation of the signing key, but not after two', async () => {
  const { stdout } = await phonebooth('connect', '--minutes', '5', '--json');
  const { session_id: id, stream_url } = JSON.parse(stdout) as Session;
  expect(await phonebooth('tokens', 'rotate')).toMatchObject({ code: 0, stderr: '' });
  const renewed = async () => {
    const now = (await api.getSession(id)).stream_url;
    return now === stream_url ? null : now;
  };
  const next = await until('an address that is signed with the new key', renewed);
  expect(await answerTo(stream_url)).toBe(101);
  expect(await answerTo(next)).toBe(101);
  await phonebooth('tokens', 'rotate');
  const isRefused = async () => (await answerTo(stream_url)) === 401;
  await until('the first address to be rejected', isRefused);
  expect(await answerTo(next)).toBe(101);
  await phonebooth('disconnect');
  await allFree();
});

test('creates, lists and revokes watch links, and moves no device that is in use', async () => {
  const { device_id: id } = JSON.parse((await phonebooth('connect', '--minutes', '5', '--json')).stdout);
  const { name } = await api.getDevice(id);
  const created = await phonebooth('watch-links', 'create', '--json');
  expect({ code: created.code, stderr: created.stderr }).toEqual({ code: 0, stderr: '' });
  const link = JSON.parse(created.stdout);
  expect(new URLSearchParams(new URL(link.page).hash.slice(1)).get('name')).toBe(name);
  expect(await answerTo(link.stream_url)).toBe(101);
  expect((await phonebooth('watch-links', 'list')).stdout).toMatch(
    new RegExp(`${link.id} +active .* bootstrap`),
  );
  expect((await phonebooth('watch-links', 'revoke', link.id)).stdout).toBe(
    `Revoked ${link.id}; the session continues.\n`,
  );
  expect((await phonebooth('watch-links', 'list')).stdout).toMatch(new RegExp(`${link.id} +revoked`));
  expect(await phonebooth('watch-links', 'revoke', 'watch_none')).toMatchObject({
    code: 1,
    stderr: 'phonebooth: watch link "watch_none" does not exist; list the watch links for valid ids\n',
  });
  const { host } = JSON.parse((await phonebooth('hosts', 'add', '--name', 'rack-2', '--json')).stdout);
  expect(await phonebooth('hosts', 'move-device', id, host.id)).toMatchObject({
    code: 1,
    stderr: `phonebooth: device ${id} is in use; end its session before you move it\n`,
  });
  await phonebooth('disconnect');
  await allFree();
});

/** Returns the HTTP status of a WebSocket upgrade at this address. */
function answerTo(url: string): Promise<number> {
  const socket = new WebSocket(api.socketUrl(url));
  return new Promise<number>((resolve, reject) => {
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!));
    socket.on('error', reject);
  }).finally(() => socket.terminate());
}
