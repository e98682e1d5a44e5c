import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDatabase } from '../../src/store/engine/copy-database.ts';
import { KNOWN_SCHEMA } from '../../src/store/engine/migrate.ts';
import { ALL_ROWS, type KeyRow, type SessionRow } from '../../src/store/entities.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';
import { phoneReport } from './world.ts';

const DAY_MS = 86_400_000;
/**
 * Databases that earlier versions left behind when they were killed. Each contains a second account with one key, a
 * quota of 600 minutes and a limit of two concurrent sessions. The first account has one session that was ended and
 * one that was live.
 */
const SAVED = new URL('saved/', import.meta.url);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'phonebooth-upgrades-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const saved = readdirSync(SAVED).map(
  (name) => [Number(/^schema-(\d+)\.db\.gz$/.exec(name)![1]), name] as const,
);

test('has saved databases of released schemas', () => {
  expect(saved.map(([schema]) => schema)).toEqual(expect.arrayContaining([2, 3, 8]));
});

test.each(saved)('data of schema %i is preserved and remains usable', async (schema, name) => {
  const file = join(folder, name.replace('.gz', ''));
  writeFileSync(file, gunzipSync(readFileSync(new URL(name, SAVED))));
  expect(readDatabase(file)).toMatchObject({ schema, accounts: 2, sessions: 2 });
  await using store = await openStore({ sqliteFile: file }, { log: silentLog, clockOffsetMs: () => DAY_MS });
  expect(readDatabase(file).schema).toBe(KNOWN_SCHEMA);

  const first = (await store.getAccountByName('default'))!;
  const checkout = (await store.getAccountByName('checkout'))!;
  expect(checkout).toMatchObject({ quotaMinutes: 600, maxSessions: 2 });
  const [key] = (await store.listFleetKeys({ accountId: checkout.id, ...ALL_ROWS })).items;
  expect(key).toMatchObject({ role: 'user', revokedAt: null });

  // The session that was live at the kill has long expired.
  await store.reap({ limit: 10, hostSilenceMs: () => null });
  const { items: sessions } = await store.listSessions({ accountId: first.id, page: 1, pageSize: 10 });
  expect(sessions.map(({ status, endReason }) => [status, endReason])).toEqual([
    ['disconnected', 'expired'],
    ['disconnected', 'client'],
  ]);
  const { items: devices } = await store.listFleetDevices(ALL_ROWS);
  for (const { deviceId, deviceName, deviceModel } of sessions) {
    expect(devices.find(({ id }) => id === deviceId)).toMatchObject({ name: deviceName, model: deviceModel });
  }
  await reconnectPhone(store, sessions[0]!, key!);
});

/** Connects another account to the phone that the previous version's session used, after its host has cleaned it. */
async function reconnectPhone(
  store: Store,
  { deviceId, hostId, epoch }: SessionRow,
  key: KeyRow,
): Promise<void> {
  const phone = phoneReport({ id: deviceId, cleanEpoch: epoch });
  const report = { hostId, hostName: 'the same', complete: true, phones: [phone] };
  await store.reportHost(report);
  const outcome = await store.connect({
    ...{ sessionId: 'ses_of_today', deviceId, accountId: key.accountId, keyId: key.id },
    ...{ minutes: 10, appId: null, record: null, recordText: false, idempotency: null },
  });
  expect(outcome).toMatchObject({ ok: true, session: { epoch: epoch + 1 } });
  expect(await store.getUsage(key.accountId)).toMatchObject({
    sessions: { live: 1 },
    minutes: { reserved: 10 },
  });
}
