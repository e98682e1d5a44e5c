import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, type FleetProcess, startFleet } from '../fixtures/fleet.ts';
import { apiAt, available } from './fleet-rig.ts';
import { agentOverHttp } from './mcp-rig.ts';

const opened = new AsyncDisposableStack();
let fleet: Fleet;
let control: FleetProcess;

beforeAll(async () => {
  fleet = opened.use(await startFleet());
  control = await fleet.add('control');
  await fleet.add('stream');
  await fleet.addHost('shelf', { PHONEBOOTH_SIMULATED_PHONES: '1' });
});
afterAll(() => opened.disposeAsync());

test.each([
  ['at their public address, whose authority it trusts', () => ({ NODE_EXTRA_CA_CERTS: fleet.caFile })],
  [
    'at an address inside',
    () => ({ PHONEBOOTH_MCP_CONTROL_URL: control.httpOrigin.replace('http:', 'ws:') }),
  ],
])('a separate api process reaches the control gateways %s', async (_, settings) => {
  const process = await fleet.add('api', settings());
  await available(await apiAt(process, fleet), 1, 60_000);
  await using agent = await agentOverHttp({ httpOrigin: process.httpOrigin, key: fleet.key });
  await agent.borrow();
  await agent.use('launch_app', { app: 'Notes' });
  await agent.use('wait_for', { text: 'New note' });
  expect(await agent.use('read_screen', { contains: 'New note' })).toMatch(/e\d+ button "New note"/);
  expect((await agent.ask('look', { max_side: 400 })).images).toHaveLength(1);
  await agent.use('give_back');
});
