import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';
import { type Account, newAccount } from '../fixtures/accounts.ts';
import { postgresProgram } from '../fixtures/postgres.ts';
import { sharedPostgres } from '../fixtures/shared-postgres.ts';
import { phoneReport } from './world.ts';

const exec = promisify(execFile);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'phonebooth-dump-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const connect = (store: Store, { accountId, keyId }: Account, sessionId: string, deviceId: string) =>
  store.connect({
    ...{ sessionId, deviceId, accountId, keyId },
    ...{ minutes: 10, appId: null, record: null, recordText: false, idempotency: null },
  });

/** Uses the commands of docs/operating.md. */
test('restores a pg_dump of a database in use with all its constraints', async () => {
  const databaseUrl = await sharedPostgres.createDatabase();
  await using store = await openStore({ databaseUrl }, { log: silentLog });
  const account = await newAccount(store, { quotaMinutes: 25 });
  const phones = ['phone-1', 'phone-2', 'phone-3'].map((id) => phoneReport({ id }));
  const report = { hostId: 'host-1', hostName: 'shelf', complete: true, phones };
  await store.reportHost(report);
  expect(await connect(store, account, 'ses_1', 'phone-1')).toMatchObject({ ok: true });
  const { cursor } = await store.readEvents(null, 100);
  const secrets = await store.listSecrets('a test');

  const dump = join(folder, 'monday.dump');
  await exec(postgresProgram('pg_dump'), ['--format=custom', `--file=${dump}`, databaseUrl]);
  const emptyUrl = await sharedPostgres.createDatabase();
  const options = ['--no-owner', '--exit-on-error', `--dbname=${emptyUrl}`];
  await exec(postgresProgram('pg_restore'), [...options, dump]);

  await using restored = await openStore({ databaseUrl: emptyUrl }, { log: silentLog });
  expect(await restored.authenticate(account.hash)).toMatchObject({ accountId: account.accountId });
  expect(await restored.listSecrets('a test')).toEqual(secrets);
  const { remainingMs: _, ...session } = (await store.getSession('ses_1'))!;
  expect(await restored.getSession('ses_1')).toMatchObject(session);
  expect(await restored.getUsage(account.accountId)).toEqual(await store.getUsage(account.accountId));
  // The host reports again. The borrowed phone is still in use, and the used quota is preserved.
  await restored.reportHost(report);
  expect(await connect(restored, account, 'ses_2', 'phone-1')).toMatchObject({ ok: false });
  expect(await connect(restored, account, 'ses_3', 'phone-2')).toMatchObject({ ok: true });
  expect(await connect(restored, account, 'ses_4', 'phone-3')).toMatchObject({ ok: false });
  // Triggers still maintain the device counts and still record events.
  const { accountId } = account;
  const busy = { accountId, status: 'busy', page: 1, pageSize: 10 } as const;
  expect(await restored.listDevices(busy)).toMatchObject({ total: 2 });
  const { events } = await restored.readEvents(cursor, 100);
  expect(events.map(({ id }) => id)).toEqual(expect.arrayContaining(['ses_3', 'phone-2']));
});
