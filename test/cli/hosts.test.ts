import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildProgram } from '../../src/cli/main.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';

let folder: string;
let store: Store;
const printed: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'phonebooth-hosts-'));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  store = await openStore({ sqliteFile: join(folder, 'phonebooth.db') }, { log: silentLog });
  await report('host-1', 'rack-1', ['d1']);
  await report('host-2', 'rack-2', []);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await store?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const FACTS = { brand: 'google', model: 'M1', os_version: '14', screen_size: '6', resolution: '1x1' };
const report = (hostId: string, hostName: string, ids: string[]) =>
  store.reportHost({
    ...{ hostId, hostName, complete: true },
    phones: ids.map((id) => ({
      description: { id, name: id, ...FACTS },
      ...{ usable: true, problem: null, cleanEpoch: 0, lease: null },
    })),
  });
const run = async (...args: string[]) => {
  await buildProgram().parseAsync(['hosts', ...args, '--data-dir', folder], { from: 'user' });
  return printed.splice(0).join('');
};
const stateOf = async (id: string) => {
  const device = await store.getFleetDevice(id);
  return [device?.host.name, device?.present];
};

test('moves a device, which is offline until its new host reports it', async () => {
  expect(await run('move-device', 'd1', 'host-2')).toBe(
    'Moved device d1 to host rack-2. It is offline until that host reports it.\n',
  );
  await report('host-1', 'rack-1', ['d1']);
  expect(await stateOf('d1')).toEqual(['rack-2', false]);
  await report('host-2', 'rack-2', ['d1']);
  expect(await stateOf('d1')).toEqual(['rack-2', true]);
  expect(await run('move-device', 'd1', 'host-2')).toBe('Device d1 is already a device of host rack-2.\n');
  expect(await stateOf('d1')).toEqual(['rack-2', true]);
  const { items } = await store.listAudit({ page: 1, pageSize: 10 });
  expect(items.map(({ action }) => action)).toEqual(['cli.hosts.move-device']);
});

test('lists hosts by name with the number of their phones', async () => {
  const phones = (available: number) => ({ available, busy: 0, offline: 0, maintenance: 0 });
  const host = { state: 'up', last_seen: expect.stringMatching(/^\d{4}-.*Z$/), live_sessions: 0 };
  const hosts = [
    { id: 'host-1', name: 'rack-1', ...host, phones: phones(0) },
    { id: 'host-2', name: 'rack-2', ...host, phones: phones(1) },
  ];
  expect(JSON.parse(await run('list', '--json'))).toEqual(hosts);
  const lines = (await run('list', '--jsonl')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(hosts);
  expect(await run('list')).toMatch(/host-2 +rack-2 +1 +\d+ s ago/);
});

test('rejects unknown devices and unknown or revoked hosts', async () => {
  await expect(run('move-device', 'd9', 'host-1')).rejects.toThrow('device d9 does not exist');
  const rejected = /^host host-\d does not exist or is revoked; list the hosts with phonebooth hosts list$/;
  await expect(run('move-device', 'd1', 'host-9')).rejects.toThrow(rejected);
  await run('revoke', 'host-1');
  await expect(run('move-device', 'd1', 'host-1')).rejects.toThrow(rejected);
});
