import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';
import { sharedPostgres } from '../fixtures/shared-postgres.ts';
import { phoneReport } from './world.ts';

const opened = new AsyncDisposableStack();
let store: Store;
let beside: pg.Client;
let outsider: { accountId: string; keyId: string };

beforeAll(async () => {
  const databaseUrl = await sharedPostgres.createDatabase();
  store = opened.use(await openStore({ databaseUrl }, { log: silentLog }));
  beside = new pg.Client({ connectionString: databaseUrl });
  await beside.connect();
  opened.defer(() => beside.end());
  const account = { name: 'outsiders', quotaMinutes: null, maxSessions: null };
  await store.ensureBootstrapKey({ account, hash: 'hash', prefix: 'pb_' });
  outsider = (await store.authenticate('hash'))!;
  const phones = [phoneReport({ id: 'd1' })];
  await store.reportHost({ hostId: 'host-1', hostName: 'shelf', complete: true, phones });
  const group = await store.createGroup({
    group: { name: 'lab', accountIds: [] },
    by: null,
    idempotency: null,
  });
  await store.updateDevice({ deviceId: 'd1', groupId: group.ok ? group.created.id : '' });
});
afterAll(() => opened.disposeAsync());

// The response time would otherwise reveal that the phone exists and that another account is using it.
test.each([null, { key: 'k', fingerprint: 'f' }])(
  'a connect to a phone that is not visible does not wait for a lock on it, with the key %j',
  async (idempotency) => {
    await beside.query('begin');
    await beside.query(`select id from devices where id = 'd1' for update`);
    try {
      const outcome = await store.connect({
        ...{
          sessionId: 'ses_1',
          deviceId: 'd1',
          minutes: 5,
          appId: null,
          record: null,
          recordText: false,
          idempotency,
        },
        ...{ accountId: outsider.accountId, keyId: outsider.keyId },
      });
      // A connect that waited for the lock would have failed with the lock timeout
      expect(outcome).toEqual({ ok: false, refusal: { why: 'device-not-found' } });
    } finally {
      await beside.query('rollback');
    }
  },
);
