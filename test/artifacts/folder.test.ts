import { type FileHandle, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { ArtifactFolder } from '../../src/control-plane/artifacts/artifact-folder.ts';
import { artifactFilesSuite } from './suite.ts';

artifactFilesSuite('a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-artifacts-'));
  const files = await ArtifactFolder.open(folder);
  return {
    files,
    leftovers: () => readdir(join(folder, 'uploads')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
});

afterEach(() => vi.restoreAllMocks());

test('a folder writes content to disk while it arrives, so that the last sync is short', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-artifacts-'));
  await using handle = await open(folder, 'r');
  const datasync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync');
  const files = await ArtifactFolder.open(folder);
  const chunk = Buffer.alloc(8 * 1024 * 1024);
  const content = async function* () {
    for (let i = 0; i < 9; i += 1) yield chunk;
  };
  await files.write('art_1', content(), { size: 9 * chunk.length, type: 'video/mp4' });
  expect(datasync).toHaveBeenCalledTimes(2);
  await rm(folder, { recursive: true });
});
