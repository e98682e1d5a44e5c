import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
