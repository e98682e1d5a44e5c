import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileFolder } from './file-folder.ts';

let folder: string;
let outside: string;
let files: FileFolder;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'phonebooth-files-')));
  outside = await mkdtemp(join(tmpdir(), 'phonebooth-outside-'));
  await writeFile(join(outside, 'secret.apk'), 'secret');
  files = new FileFolder(folder);
});
afterEach(async () => {
  for (const made of [folder, outside]) await rm(made, { recursive: true });
});

test('writes a new file, and never replaces one', async () => {
  expect(await files.write('a.png', Buffer.from('1'))).toBe(join(folder, 'a.png'));
  await expect(files.write('a.png', Buffer.from('2'))).rejects.toThrow('exists already; choose another name');
  expect(await readFile(join(folder, 'a.png'), 'utf8')).toBe('1');
  expect(await files.pathToRead('a.png')).toBe(join(folder, 'a.png'));
});

test('removes a file whose content was interrupted', async () => {
  const broken = async function* () {
    yield Buffer.from('1');
    throw new Error('connection reset');
  };
  await expect(files.write('a.mp4', broken())).rejects.toThrow('connection reset');
  expect(await files.write('a.mp4', Buffer.from('2'))).toBe(join(folder, 'a.mp4'));
});

test('accesses nothing outside its folder, also not over a link', async () => {
  await symlink(outside, join(folder, 'link'));
  await symlink(join(outside, 'secret.apk'), join(folder, 'inside.apk'));
  for (const path of [join(outside, 'secret.apk'), 'link/secret.apk', 'inside.apk', '..', '.'])
    await expect(files.pathToRead(path)).rejects.toThrow(/is outside .*--files/);
  for (const path of [join(outside, 'a.png'), 'link/a.png', '../a.png'])
    await expect(files.write(path, Buffer.from(''))).rejects.toThrow(/is outside .*--files/);
  await expect(files.write('inside.apk', Buffer.from(''))).rejects.toThrow('exists already');
});

test('says why a file cannot be accessed', async () => {
  await expect(files.pathToRead('none.apk')).rejects.toThrow('Cannot read "none.apk": it does not exist.');
  await expect(files.write('none/a.png', Buffer.from(''))).rejects.toThrow('it does not exist');
  await expect(new FileFolder('/').pathToRead('etc/passwd')).rejects.toThrow('add --files with a folder');
});
