import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../../util/log.ts';
import { loadScrcpyServer } from './server-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scrcpy-server-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const content = Buffer.from('the correct bytes');
const sha256 = createHash('sha256').update(content).digest('hex');
const load = (options: { file?: string | null } = {}) =>
  loadScrcpyServer(
    { dataDir: folder, file: null, log: silentLog, sha256, ...options },
    AbortSignal.timeout(60_000),
  );

test("uses only the operator's file if one is configured", async () => {
  const file = join(folder, 'mine');
  await expect(load({ file })).rejects.toThrow('PHONEBOOTH_SCRCPY_SERVER cannot be read');
  await writeFile(file, 'other bytes');
  await expect(load({ file })).rejects.toThrow('is not scrcpy-server v3.3.3');
  await writeFile(file, content);
  expect(await load({ file })).toEqual({ content, sha256 });
});

test('uses the file in the data folder if its hash matches', async () => {
  await writeFile(join(folder, 'scrcpy-server-v3.3.3'), content);
  expect(await load()).toEqual({ content, sha256 });
});
