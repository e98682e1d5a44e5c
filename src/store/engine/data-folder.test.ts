import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureDataFolder } from './data-folder.ts';

const COMMAND = fileURLToPath(new URL('../../../bin/phonebooth.mjs', import.meta.url));
/** A folder that every user can read, and whose permissions not even root can change. */
const UNCHANGEABLE = '/proc/self/task';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-data-folder-'));
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('creates the data folder with access for its owner only', async () => {
  const made = join(folder, 'a', 'b');
  await ensureDataFolder(made);
  expect(await modeOf(made)).toBe('700');
});

test.each(['755', '750', '701', '777'])('restricts a data folder with mode %s to its owner', async (mode) => {
  await chmod(folder, mode);
  await ensureDataFolder(folder);
  expect(await modeOf(folder)).toBe('700');
});

test('keeps a stricter mode', async () => {
  await chmod(folder, 0o500);
  await ensureDataFolder(folder);
  expect(await modeOf(folder)).toBe('500');
});

test('the service logs one line and exits if it cannot restrict the data folder', async () => {
  const env = { PATH: process.env.PATH, PHONEBOOTH_DATA_DIR: UNCHANGEABLE, PHONEBOOTH_ADB: 'off' };
  const run = promisify(execFile)(process.execPath, [COMMAND, 'serve'], { env, timeout: 60_000 });
  const { code, stderr } = await run.then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
  expect(code).toBe(1);
  const [line, ...more] = stderr.trimEnd().split('\n');
  expect(more).toEqual([]);
  expect(line).toContain(`${UNCHANGEABLE} is accessible to other users of this machine (mode 555)`);
  expect(line).toContain(`run chmod 700 ${UNCHANGEABLE} as its owner, or set PHONEBOOTH_DATA_DIR`);
});
