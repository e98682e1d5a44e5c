import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataFolderInUseError, lockDataFolder } from '../../src/store/engine/lock-data-folder.ts';
import { openStore } from '../../src/store/open-store.ts';
import { StoreUnavailableError } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';

const CHILD = join(import.meta.dirname, 'committing-child.ts');
const HOLDER = `
  const { lockDataFolder } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/store/engine/lock-data-folder.ts'))});
  lockDataFolder(process.argv[1]);
  globalThis.gc();
  console.log('locked');
  setInterval(() => {}, 1000);
`;

let folder: string;
let sqliteFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phonebooth-durability-'));
  sqliteFile = join(folder, 'phonebooth.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => openStore({ sqliteFile }, { log: silentLog });

/** Runs a program until it has printed this many lines, then kills it with SIGKILL. Returns the lines. */
async function killAfter(lines: number, args: string[]): Promise<string[]> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const printed: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    printed.push(line);
    if (printed.length === lines) child.kill('SIGKILL');
  }
  expect((await exited)[1]).toBe('SIGKILL');
  return printed;
}

describe('the embedded store', () => {
  test('preserves everything that it acknowledged through kill -9, and every change with its audit entry', async () => {
    const { accountId, keyId } = await arrange();
    for (const lines of [1, 8, 31]) {
      const printed = await killAfter(lines, [CHILD, sqliteFile, accountId, keyId]);
      await using store = await open();
      const acknowledged = printed.map((line) => line.split(' ') as [string, string]);
      const rows = await store.getSessions(acknowledged.map(([, id]) => id));
      const statuses = new Map(rows.map(({ id, status }) => [id, status]));
      for (const [what, id] of acknowledged) {
        if (what === 'connected') expect(statuses.has(id)).toBe(true);
        else expect(statuses.get(id)).toBe('disconnected');
      }
      await expectEntries(store, accountId);
      await cleanUp(store, accountId);
    }
  });

  test('is readable only by its owner', async () => {
    await using store = await open();
    await store.ping();
    expect(statSync(sqliteFile).mode & 0o777).toBe(0o600);
    expect(statSync(`${sqliteFile}-wal`).mode & 0o777).toBe(0o600);
  });

  test('reports that it is unavailable once it is closed, and opens again unchanged', async () => {
    const store = await open();
    const secret = await store.ensureSecret('sockets');
    await store[Symbol.asyncDispose]();
    await expect(store.ping()).rejects.toThrow(StoreUnavailableError);
    await expect(store.ensureSecret('sockets')).rejects.toThrow(StoreUnavailableError);
    await using again = await open();
    expect(await again.ensureSecret('sockets')).toEqual(secret);
  });

  test('rejects a file that is not a database and leaves it unchanged', async () => {
    writeFileSync(sqliteFile, 'a letter to the operator, longer than a header'.repeat(20));
    await expect(open()).rejects.toThrow(/not a database/);
  });

  /**
   * Asserts that each row has its audit event and vice versa, including those of changes that were in progress at the
   * kill.
   */
  async function expectEntries(store: Awaited<ReturnType<typeof open>>, accountId: string): Promise<void> {
    const all = { page: 1, pageSize: 1_000 };
    const sessions = (await store.listSessions({ accountId, ...all })).items;
    const entries = (await store.listAudit({ accountId, ...all })).items;
    const idsOf = (action: string) =>
      entries.filter((entry) => entry.action === action).map(({ targets }) => targets[0]!.id);
    const ended = sessions.filter(({ endReason }) => endReason === 'client');
    expect(idsOf('connect')).toEqual(sessions.map(({ id }) => id));
    expect(idsOf('end')).toEqual(ended.map(({ id }) => id));
  }

  async function arrange(): Promise<{ accountId: string; keyId: string }> {
    await using store = await open();
    await store.ensureBootstrapKey({
      account: { name: 'main', quotaMinutes: null, maxSessions: null },
      hash: 'hash',
      prefix: 'pb_test',
    });
    const principal = await store.authenticate('hash');
    await report(store, 0);
    return principal!;
  }

  /** Ends the session that the killed process left, and reports its phone as clean. */
  async function cleanUp(store: Awaited<ReturnType<typeof open>>, accountId: string): Promise<void> {
    const { items } = await store.listSessions({ accountId, page: 1, pageSize: 1 });
    for (const { id } of items) await store.end({ sessionId: id, reason: 'admin' });
    await report(store, items[0]?.epoch ?? 0);
    expect(await store.getDevice('d1', accountId)).toMatchObject({ status: 'available' });
  }

  async function report(store: Awaited<ReturnType<typeof open>>, cleanEpoch: number): Promise<void> {
    const description = { id: 'd1', name: 'Phone', brand: 'google', model: 'GX7AS', os_version: '14' };
    const phone = { ...description, screen_size: '6.1', resolution: '1080x2400' };
    await store.reportHost({
      ...{ hostId: 'h1', hostName: 'shelf', complete: true },
      phones: [{ description: phone, usable: true, problem: null, cleanEpoch, lease: null }],
    });
  }
});

describe('the data folder', () => {
  test('has one server at a time, and the database remains accessible to other commands', async () => {
    const lock = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).toThrow(DataFolderInUseError);
    await using store = await open();
    await store.ping();
    await lock[Symbol.asyncDispose]();
    await lockDataFolder(folder)[Symbol.asyncDispose]();
  });

  test('is free again after its server was killed', async () => {
    const holder = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', HOLDER, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(holder, 'exit');
    try {
      await once(holder.stdout, 'data');
      expect(() => lockDataFolder(folder)).toThrow(/another Phonebooth server is using/);
    } finally {
      holder.kill('SIGKILL');
      await exited;
    }
    await lockDataFolder(folder)[Symbol.asyncDispose]();
  });
});
