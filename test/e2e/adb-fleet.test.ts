import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Session, succeeded } from '../black-box/kit/api.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Fleet, type FleetProcess, startFleet } from '../fixtures/fleet.ts';
import { AdbServerProcess } from '../fixtures/phone-double/adb-server.ts';
import { type PhoneHandle, Phones } from '../fixtures/phone-double/phones.ts';
import { scrcpyServerFile } from '../fixtures/scrcpy-server-file.ts';
import { borrow } from './adb-rig.ts';
import { Developer, Tunnel } from './developer.ts';
import { apiAt } from './fleet-rig.ts';

let opened: AsyncDisposableStack;
let fleet: Fleet;
let developer: Developer;
let phone: PhoneHandle;
let api: FleetProcess;
let agent: FleetProcess;

beforeAll(async () => {
  opened = new AsyncDisposableStack();
  const phones = opened.use(Phones.start());
  const host = opened.use(await AdbServerProcess.start());
  developer = opened.use(await Developer.start());
  phone = await phones.add();
  await host.adb('connect', phone.address);
  fleet = opened.use(await startFleet());
  api = await fleet.add('api');
  await fleet.add('control');
  agent = await fleet.addHost('shelf', {
    PHONEBOOTH_ADB: `127.0.0.1:${host.port}`,
    PHONEBOOTH_ALLOW_SHELL: 'on',
    PHONEBOOTH_SIMULATED_PHONES: '0',
    PHONEBOOTH_ANDROID_MAX_SIZE: '640',
    PHONEBOOTH_SCRCPY_SERVER: await scrcpyServerFile(),
  });
});
afterAll(() => opened.disposeAsync());

/**
 * Environment in which the command connects to the fleet over TLS. The control host is a different process than the
 * API's.
 */
const environment = () => ({
  ...api.env,
  PHONEBOOTH_URL: `https://localhost:${api.tlsPort}`,
  NODE_EXTRA_CA_CERTS: fleet.caFile,
});

test('adb works through separate api, gateway and agent processes, and ends when the host is lost', async () => {
  const client = await apiAt(api, fleet);
  const session = await borrow(client);
  const tunnel = await Tunnel.open(environment(), session.session_id);
  await developer.connect(tunnel);
  const adb = (...args: string[]) => developer.adb('-s', tunnel.address, ...args);
  expect(await adb('shell', 'echo hello; exit 4')).toMatchObject({ code: 4, stdout: 'hello\n' });
  const { streams } = await phone.report();
  expect(streams).toBeGreaterThan(0);
  await agent.kill9();
  await until('adb to list the phone', async () => (await developer.stateOf(tunnel)) !== 'device');
  await until('nothing to remain on the phone', async () => (await phone.report()).streams === 0);
  const end = async () => succeeded(await client.get<Session>(`/sessions/${session.session_id}`)).end_reason;
  await until('the end of the session', async () => (await end()) === 'host_lost');
  await until('the command to exit', () => tunnel.launched.isOver(), { deadlineMs: 90_000 });
  expect(tunnel.launched.child.exitCode).toBe(5);
  expect(tunnel.launched.stderr()).toMatch(/^phonebooth: .*(ended|lost)/);
});
