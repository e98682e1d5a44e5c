import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { Compile } from 'typebox/compile';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { LeaseAppium } from '../../src/agent/appium/lease-appium.ts';
import { REQUESTS } from '../../src/bus/messages.ts';
import { silentLog } from '../../src/util/log.ts';
import { until } from '../black-box/kit/wait.ts';
import { saveAppiumDouble } from '../fixtures/appium-double.ts';

const deflate = promisify(deflateRaw);
const { request: requestSchema, response: responseSchema } = REQUESTS['host.call'];
const isRequest = Compile(requestSchema);
const isResponse = Compile(responseSchema);

let folder: string;
let command: { command: string; env: Record<string, string> };
let appium: LeaseAppium;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-appium-'));
  const program = await saveAppiumDouble(folder);
  command = { command: program, env: { PATH: process.env.PATH!, APPIUM_HOME: folder } };
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  const capabilities = { 'appium:udid': 'emulator-1' };
  appium = new LeaseAppium({ command, capabilities, log: silentLog });
});
afterEach(() => appium[Symbol.asyncDispose]());

/** Sends a command as an api process does, over a bus that validates its messages. */
async function call(method: 'GET' | 'POST', path: string, body?: object) {
  const id = `call-${count++}`;
  const packed = body && (await deflate(JSON.stringify(body))).toString('base64');
  const parts: Buffer[] = [];
  for (let offset = 0; ; ) {
    const request = offset > 0 ? { id, offset } : { id, method, path, body: packed };
    expect(isRequest.Check({ sessionId: 's', epoch: 1, appium: JSON.parse(JSON.stringify(request)) })).toBe(
      true,
    );
    const part = await appium.take(request);
    const response = { automation: null, width: 1, height: 1, capabilities: [], appium: part };
    expect(isResponse.Check(response)).toBe(true);
    expect(JSON.stringify(response).length).toBeLessThan(1_000_000);
    if (part.isRunning) continue;
    parts.push(Buffer.from(part.part!, 'base64'));
    offset += parts.at(-1)!.length;
    if (offset >= part.bytes!)
      return {
        status: part.status,
        value: JSON.parse(Buffer.concat(parts).toString()).value,
        parts: parts.length,
      };
  }
}

const newSession = async (capabilities = {}) => (await call('POST', '/session', { capabilities })).value;
const pidsOf = async () => (await call('GET', '/session/appium-1/pids')).value as number[];
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const untilDead = (pids: number[]) => until('the processes to end', () => !pids.some(isAlive));

test('a server gets the capabilities of the phone instead of those of the client, and no secrets', async () => {
  const { sessionId, capabilities } = await newSession({ 'appium:udid': 'other', 'appium:noReset': true });
  expect(sessionId).toBe('appium-1');
  expect(capabilities).toMatchObject({ 'appium:udid': 'emulator-1', 'appium:noReset': true });
  expect(capabilities['appium:systemPort']).toEqual(expect.any(Number));
  expect(Object.keys(capabilities.env).filter((name) => name.startsWith('PHONEBOOTH'))).toEqual([]);
  const error = await call('GET', '/session/appium-1/nothing');
  expect(error).toMatchObject({ status: 404, value: { error: 'unknown command' } });
});

test('a long response arrives in parts, and one that is too long is rejected', async () => {
  await newSession();
  const { value, parts } = await call('GET', '/session/appium-1/large');
  expect(value).toBe('x'.repeat(3_000_000));
  expect(parts).toBeGreaterThan(5);
  await expect(call('GET', '/session/appium-1/endless')).rejects.toThrow(/has more than/);
});

test('all processes of a server end with it, even if they ignore signals', async () => {
  await newSession();
  const pids = await pidsOf();
  await call('GET', '/session/appium-1/ignore-signals');
  const hanging = call('GET', '/session/appium-1/hang');
  hanging.catch(() => {});
  await appium[Symbol.asyncDispose]();
  await untilDead(pids);
  await expect(hanging).rejects.toThrow();
});

test('a server that crashes is an error, and what it started ends', async () => {
  await newSession();
  const pids = await pidsOf();
  await expect(call('GET', '/session/appium-1/crash')).rejects.toThrow(/ended unexpectedly/);
  await expect(call('GET', '/session/appium-1/source')).rejects.toThrow(/ended unexpectedly/);
  await untilDead(pids);
});

test('a new session replaces the server, and commands without one are rejected', async () => {
  await expect(call('GET', '/session/appium-1/source')).rejects.toThrow(/has no Appium server/);
  await newSession();
  const pids = await pidsOf();
  await newSession();
  await untilDead(pids);
  expect(await pidsOf()).not.toEqual(pids);
});

test('a program that does not start, and a host without Appium, are errors', async () => {
  const options = { capabilities: {}, log: silentLog };
  await using missing = new LeaseAppium({ ...options, command: { ...command, command: '/nothing' } });
  const request = { id: 'a', method: 'POST' as const, path: '/session' };
  await expect(missing.take(request)).rejects.toThrow(/ended unexpectedly/);
  await using none = new LeaseAppium({ ...options, command: null });
  await expect(none.take(request)).rejects.toMatchObject({ kind: 'unsupported' });
});

test('the processes of a server end when the agent is killed', async () => {
  const script = `
    import { LeaseAppium } from ${JSON.stringify(new URL('../../src/agent/appium/lease-appium.ts', import.meta.url))};
    const log = { warn: console.error };
    const appium = new LeaseAppium({ command: ${JSON.stringify(command)}, capabilities: {}, log });
    await appium.take({ id: 'a', method: 'POST', path: '/session' });
    const { part } = await appium.take({ id: 'b', method: 'GET', path: '/session/appium-1/pids' });
    console.log(Buffer.from(part, 'base64').toString());
  `;
  const agent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(agent.stdout.setEncoding('utf8'), 'data');
  const pids = JSON.parse(line).value as number[];
  expect(pids.filter(isAlive)).toEqual(pids);
  agent.kill('SIGKILL');
  await untilDead(pids);
});
