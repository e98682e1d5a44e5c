import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import { until } from '../black-box/kit/wait.ts';
import { makeApk } from '../fixtures/apk.ts';
import { type Service, startService } from '../fixtures/service.ts';

let service: Service;
let api: PhoneboothClient;
let folder: string;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '2' } });
  api = new PhoneboothClient({ baseUrl: service.baseUrl, key: service.key });
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-backup-'));
  await twoFree();
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const twoFree = () =>
  until('two available phones', async () => (await api.listDevices({ status: 'available' })).total === 2);

const apkOf = (name: string) =>
  new Blob([new Uint8Array(makeApk({ packageName: `com.example.${name}`, label: name }))]);

test('a backup of a busy service restores everything after a complete loss', async () => {
  const [phone] = (await api.listDevices()).items;
  const app = await api.uploadApp(apkOf('kept'));
  const key = await api.createKey({ name: 'of the team', role: 'user' });
  const before = await api.connect(phone!.id, { duration: 5 });
  await api.disconnect(before.session_id);
  // Creates and ends sessions, and uploads and deletes apps, during the backup.
  let isOver = false;
  const busy = (async () => {
    for (let n = 0; !isOver; n += 1) {
      const passing = await api.uploadApp(apkOf(`passing${n}`));
      const session = await api.borrow({ duration: 5, wait: 60 });
      await api.disconnect(session.session_id);
      await api.deleteApp(passing.id);
    }
  })();
  const backup = join(folder, 'first');
  const taken = await service.command('backup', backup);
  isOver = true;
  await busy;
  expect(taken).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(`Backed up to ${backup}: 1 account, `),
  });
  expect((await readdir(backup)).sort()).toEqual(['api-key', 'apps', 'host-id', 'phonebooth.db', 'tls']);
  const authority = await readFile(service.caFile, 'utf8');

  await service.kill9();
  for (const name of await readdir(service.dataDir))
    await rm(join(service.dataDir, name), { recursive: true });
  const restored = await service.command('restore', backup);
  expect(restored).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('You can start the service now.'),
  });
  await service.restart();

  expect(await readFile(service.caFile, 'utf8')).toBe(authority);
  // A session that was live when the backup was taken continues.
  for (const status of ['connecting', 'connected'] as const) {
    for (const { session_id } of (await api.listSessions({ status })).items) await api.disconnect(session_id);
  }
  await twoFree();
  expect(await api.getSession(before.session_id)).toMatchObject({
    status: 'disconnected',
    end_reason: 'client',
  });
  const team = new PhoneboothClient({ baseUrl: service.baseUrl, key: key.key! });
  const session = await team.connect(phone!.id, { duration: 5, app_id: app.id });
  const installed = async () => (await team.getSession(session.session_id)).app_status === 'installed';
  await until('the restored app to be installed', installed);
  await team.disconnect(session.session_id);
  await twoFree();
});

test('an impossible backup or restore fails with a one-line error and changes nothing', async () => {
  const backup = join(folder, 'second');
  expect((await service.command('backup', backup)).code).toBe(0);
  const refused = async (args: string[], line: string) =>
    expect(await service.command(...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(line),
    });
  await refused(['backup', backup], `${backup} already exists; name a new folder`);
  await refused(['restore', backup], 'another Phonebooth server is using');
  const elsewhere = ['--data-dir', join(folder, 'elsewhere')];
  await refused(['restore', join(folder, 'nothing'), ...elsewhere], 'does not exist or cannot be opened');

  const damaged = join(folder, 'damaged');
  await cp(backup, damaged, { recursive: true });
  const bytes = await readFile(join(damaged, 'phonebooth.db'));
  await writeFile(join(damaged, 'phonebooth.db'), bytes.fill(7, 8192, 40_960));
  await refused(['restore', damaged, ...elsewhere], 'phonebooth.db is');

  const incomplete = join(folder, 'incomplete');
  await cp(backup, incomplete, { recursive: true });
  await rm(join(incomplete, 'apps'), { recursive: true });
  await refused(['restore', incomplete, ...elsewhere], 'the files of app');

  const newer = join(folder, 'newer');
  await cp(backup, newer, { recursive: true });
  const database = new DatabaseSync(join(newer, 'phonebooth.db'));
  database.exec("insert into migrations (id, name, applied_at) values (9999, 'of tomorrow', 0)");
  database.close();
  await refused(['restore', newer, ...elsewhere], 'was written by a newer version (schema 9999');

  expect(existsSync(join(folder, 'elsewhere', 'phonebooth.db'))).toBe(false);
  expect((await service.command('restore', backup, ...elsewhere)).code).toBe(0);
  await refused(['restore', backup, ...elsewhere], 'already contains a database; move it away');
  await refused(
    ['backup', join(folder, 'third'), '--database-url', 'postgres://localhost/x'],
    'with pg_dump',
  );
});
