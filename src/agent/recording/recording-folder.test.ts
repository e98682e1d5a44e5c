import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFolder, readEnd, writeEnd } from './recording-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-recording-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the end of a recording needs no more space than the folder has from the start', async () => {
  expect((await openFolder(folder)).end).toBeNull();
  const allocated = async (name: string) => {
    const { ino, size } = await stat(join(folder, name));
    return { ino, size };
  };
  const before = await allocated('end.json.part');
  await writeEnd(folder, { detail: 'the disk of the host is full' });
  expect(await allocated('end.json')).toEqual(before);
  expect(await readEnd(folder)).toEqual({ detail: 'the disk of the host is full' });
  expect((await openFolder(folder)).end).toEqual({ detail: 'the disk of the host is full' });
});
