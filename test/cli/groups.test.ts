import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { buildProgram } from '../../src/cli/main.ts';
import type { Group } from '../../src/contract/http/group.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';
import { newAccount } from '../fixtures/accounts.ts';

let folder: string;
let store: Store;
const printed: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'phonebooth-groups-'));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  store = await openStore({ sqliteFile: join(folder, 'phonebooth.db') }, { log: silentLog });
  for (const name of ['team', 'guests']) await newAccount(store, { name });
  const facts = { brand: 'google', model: 'M1', os_version: '14', screen_size: '6', resolution: '1x1' };
  await store.reportHost({
    ...{ hostId: 'host-1', hostName: 'shelf', complete: true },
    phones: ['d1', 'd2'].map((id) => ({
      description: { id, name: id, ...facts },
      ...{ usable: true, problem: null, cleanEpoch: 0, lease: null },
    })),
  });
});
beforeEach(() => {
  printed.length = 0;
});
afterAll(async () => {
  vi.restoreAllMocks();
  await store?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const run = async (...args: string[]) => {
  await buildProgram().parseAsync(['groups', ...args, '--data-dir', folder], { from: 'user' });
  return printed.splice(0).join('');
};
const listed = async () => JSON.parse(await run('list', '--json')) as Group[];

test('creates, changes, lists and deletes groups, and audits each change', async () => {
  expect(await run('list')).toBe('No groups: all accounts see all phones.\n');
  expect(await run('create', 'lab', '--accounts', 'team')).toContain('lab   0       team');
  await expect(run('create', 'lab')).rejects.toThrow('group lab already exists');
  await expect(run('create', 'x', '--accounts', 'nobody')).rejects.toThrow('account nobody does not exist');

  const changed = ['--accounts', 'guests', 'team', '--add-devices', 'd1', 'd2', '--rename', 'Lab 2'];
  expect(await run('set', 'lab', ...changed)).toContain('Lab 2  2       guests, team');
  expect(await run('set', 'Lab 2', '--remove-devices', 'd2')).toContain('Lab 2  1  ');
  await expect(run('set', 'Lab 2', '--remove-devices', 'd2')).rejects.toThrow(
    'phone d2 is not in group Lab 2',
  );
  await expect(run('set', 'Lab 2', '--add-devices', 'd9')).rejects.toThrow('phone d9 does not exist');
  await expect(run('set', 'lab', '--no-accounts')).rejects.toThrow('group lab does not exist');
  expect(await run('set', 'Lab 2', '--no-accounts')).toContain('Lab 2  1       -');
  expect(await listed()).toMatchObject([{ name: 'Lab 2', accounts: [], devices: 1 }]);

  await expect(run('delete', 'Lab 2')).rejects.toThrow(
    'group Lab 2 has 1 phone, which would become visible to all accounts',
  );
  await run('set', 'Lab 2', '--remove-devices', 'd1');
  expect(await run('delete', 'Lab 2')).toBe('Deleted group Lab 2.\n');
  expect(await listed()).toEqual([]);

  const { items } = await store.listAudit({ page: 1, pageSize: 50 });
  const set = Array.from({ length: 6 }, () => 'cli.groups.set');
  expect(items.map(({ action }) => action).toReversed()).toEqual([
    'cli.groups.create',
    ...set,
    'cli.groups.delete',
  ]);
  expect(items.filter(({ targets }) => targets[0]!.kind === 'device')).toHaveLength(4);
});
