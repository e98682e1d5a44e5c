import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, type Session, succeeded } from '../black-box/kit/api.ts';
import { until } from '../black-box/kit/wait.ts';
import { saveAppiumDouble } from '../fixtures/appium-double.ts';
import { type Fleet, type FleetProcess, startFleet } from '../fixtures/fleet.ts';
import { apiAt, available } from './fleet-rig.ts';
import { agentOverHttp } from './mcp-rig.ts';

const opened = new AsyncDisposableStack();
let fleet: Fleet;
/** The first uses the control gateways at their public address, the second at an address inside. */
let processes: [FleetProcess, FleetProcess];
let api: Api;

beforeAll(async () => {
  fleet = opened.use(await startFleet());
  const control = await fleet.add('control');
  await fleet.add('stream');
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-appium-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const appium = await saveAppiumDouble(folder);
  await fleet.addHost('shelf', { PHONEBOOTH_SIMULATED_PHONES: '1', PHONEBOOTH_APPIUM: appium });
  processes = await Promise.all([
    fleet.add('api', { NODE_EXTRA_CA_CERTS: fleet.caFile }),
    fleet.add('api', { PHONEBOOTH_MCP_CONTROL_URL: control.httpOrigin.replace('http:', 'ws:') }),
  ]);
  api = await apiAt(processes[0], fleet);
});
afterAll(() => opened.disposeAsync());

test.each([
  ['at their public address, whose authority it trusts', () => processes[0]],
  ['at an address inside', () => processes[1]],
])('a separate api process reaches the control gateways %s', async (_, process) => {
  await available(api, 1);
  await using agent = await agentOverHttp({ httpOrigin: process().httpOrigin, key: fleet.key });
  await agent.borrow();
  await agent.use('launch_app', { app: 'Notes' });
  await agent.use('wait_for', { text: 'New note' });
  expect(await agent.use('read_screen', { contains: 'New note' })).toMatch(/e\d+ button "New note"/);
  expect((await agent.ask('look', { max_side: 400 })).images).toHaveLength(1);
  await agent.use('give_back');
});

/** Sends a WebDriver command to one api process. */
async function webDriver({ httpOrigin }: FleetProcess, method: string, path: string, body?: object) {
  const response = await fetch(`${httpOrigin}/wd/hub/session${path}`, {
    ...{ method, headers: { authorization: `Bearer ${fleet.key}` } },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as { value: unknown };
  expect(response.status, JSON.stringify(value)).toBe(200);
  return value;
}

/** Creates a session on the only phone. */
async function newSession(process: FleetProcess, commandTimeout: number, capabilities = {}): Promise<string> {
  const alwaysMatch = {
    ...{
      platformName: 'Android',
      'appium:newCommandTimeout': commandTimeout,
      timeouts: { implicit: 60_000 },
    },
    'phonebooth:options': { wait: 120, duration: 5 },
    ...capabilities,
  };
  const created = await webDriver(process, 'POST', '', { capabilities: { alwaysMatch } });
  return (created as { sessionId: string }).sessionId;
}

test('any api process serves the commands of a WebDriver session that another has created', async () => {
  const [first, second] = processes;
  const id = await newSession(first, 300);
  const post = (path: string, body: object) => webDriver(second, 'POST', `/${id}${path}`, body);
  const get = (path: string) => webDriver(second, 'GET', `/${id}${path}`);
  const find = async (using: string, value: string) =>
    Object.values((await post('/element', { using, value })) as object)[0] as string;
  const mobile = (name: string, args: object) =>
    post('/execute/sync', { script: `mobile: ${name}`, args: [args] });

  await mobile('activateApp', { appId: 'com.phonebooth.calculator' });
  await post(`/element/${await find('accessibility id', '7')}/click`, {});
  const display = await find('xpath', '//*[@resource-id="display" and @text="7"]');
  // The process that created the session has not seen this element.
  expect(await webDriver(first, 'GET', `/${id}/element/${display}/text`)).toBe('7');
  expect(await get('/source')).toContain('resource-id="display"');
  const png = Buffer.from((await get('/screenshot')) as string, 'base64');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  // Longer than the results that are sent uncompressed.
  const content = Buffer.from('0123456789'.repeat(4_000)).toString('base64');
  await mobile('setClipboard', { content });
  expect(await mobile('getClipboard', {})).toBe(content);

  const { items } = succeeded(await api.get<{ items: { name: string }[] }>(`/sessions/${id}/commands`));
  expect(items.map(({ name }) => name)).toContain('mobile: activateApp');

  await webDriver(second, 'DELETE', `/${id}`);
  expect(succeeded(await api.get<Session>(`/sessions/${id}`))).toMatchObject({
    ...{ status: 'disconnected', end_reason: 'client' },
  });
});

test('any api process sends commands to the Appium server of a session, over the bus', async () => {
  const [first, second] = processes;
  const id = await newSession(first, 300, { 'appium:automationName': 'Double' });
  // Longer than a message of the bus.
  expect(await webDriver(second, 'GET', `/${id}/large`)).toBe('x'.repeat(3_000_000));
  expect(await webDriver(first, 'GET', `/${id}/pids`)).toHaveLength(2);
  await webDriver(second, 'DELETE', `/${id}`);
});

test('the host ends a WebDriver session whose client has died', async () => {
  const id = await newSession(processes[1], 1);
  const ended = await until('the session to end', async () => {
    const session = succeeded(await api.get<Session>(`/sessions/${id}`));
    return session.status === 'disconnected' && session;
  });
  expect(ended).toMatchObject({
    ...{ end_reason: 'idle', end_detail: expect.stringContaining('newCommandTimeout') },
  });
});
