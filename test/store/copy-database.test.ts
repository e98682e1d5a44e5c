import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyDatabase, readDatabase } from '../../src/store/engine/copy-database.ts';
import { openStore } from '../../src/store/open-store.ts';
import { silentLog } from '../../src/util/log.ts';
import { newAccount } from '../fixtures/accounts.ts';
import { artifactOf, recordedLease, storedArtifact } from './artifacts.ts';
import { phoneReport } from './world.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'phonebooth-copy-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a copy of the database of a running service has its recordings', async () => {
  const [sqliteFile, copy] = [join(folder, 'phonebooth.db'), join(folder, 'copy.db')];
  await using store = await openStore({ sqliteFile }, { log: silentLog });
  const { accountId, keyId } = await newAccount(store);
  const phones = [phoneReport({ id: 'd1' })];
  await store.reportHost({ hostId: 'host-1', hostName: 'shelf', complete: true, phones });
  const outcome = await store.connect({
    ...{ sessionId: 'ses_1', deviceId: 'd1', accountId, keyId, minutes: 5, appId: null },
    ...{ record: true, recordText: true, idempotency: null },
  });
  if (!outcome.ok) throw new Error(`the connect was rejected: ${outcome.refusal.why}`);
  await storedArtifact(store, outcome.session);
  const uploading = artifactOf('video-2.mp4', { size: 10 });
  await store.reserveArtifact(recordedLease(outcome.session), uploading, { maxArtifacts: 10 });

  copyDatabase(sqliteFile, copy);
  expect(readDatabase(copy)).toMatchObject({ sessions: 1, artifacts: 1 });
  await using copied = await openStore({ sqliteFile: copy }, { log: silentLog });
  const artifacts = await store.listArtifacts({ sessionId: 'ses_1' });
  expect(artifacts).toMatchObject([{ name: 'video-1.mp4' }]);
  expect(await copied.listArtifacts({ sessionId: 'ses_1' })).toEqual(artifacts);
  expect(await copied.getSession('ses_1')).toMatchObject({ recording: { text: true, artifacts: 1 } });
  expect(await copied.getUsage(accountId)).toMatchObject({ artifact_bytes: { used: 1_010 } });
});
