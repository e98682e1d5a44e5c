import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SECRET } from '../access/secret-names.ts';
import { openConfiguredStore } from '../store/open-store.ts';
import { silentLog } from '../util/log.ts';
import { rotateTokens } from './secret-admin.ts';

test('replaces the keys of sockets and sign-ins on rotation and keeps the previous ones', async () => {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'phonebooth-secrets-'));
  opened.defer(() => rm(dataDir, { recursive: true }));
  const config = { dataDir, databaseUrl: null };
  const store = opened.use(await openConfiguredStore(config, { log: silentLog }));
  const names = [SECRET.socketToken, SECRET.signIn];
  const before = await Promise.all(names.map((name) => store.ensureSecret(name)));
  await rotateTokens(config);
  for (const [index, name] of names.entries()) {
    const [newest, kept] = await store.listSecrets(name);
    expect(kept, name).toEqual(before[index]);
    expect(newest, name).not.toEqual(before[index]);
  }
  const audit = await store.listAudit({ page: 1, pageSize: 10 });
  expect(audit.items.map(({ action }) => action)).toEqual(['cli.tokens.rotate']);
});
