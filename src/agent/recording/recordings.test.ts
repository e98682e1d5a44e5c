import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InProcessBus } from '../../bus/in-process.ts';
import { InProcessLinks } from '../../link/in-process.ts';
import { silentLog } from '../../util/log.ts';
import { Recordings } from './recordings.ts';

test('a recording stops when it is larger than the space that is left for all recordings of the host', async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-recordings-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const [bus, links] = [new InProcessBus(), new InProcessLinks()];
  const options = { hostId: 'h1', folder, bus, links, log: silentLog, reserveBytes: 0, maxBytes: 1_000 };
  const recordings = opened.use(await Recordings.open(options));
  recordings.add(500);
  expect(await recordings.shortage(500)).toBeNull();
  recordings.add(100);
  expect(await recordings.shortage(500)).toContain('PHONEBOOTH_MAX_RECORDING_STORAGE');
  expect(await recordings.shortage(100)).toBeNull();
});
