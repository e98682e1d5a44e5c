import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LeaseRecorder } from '../../src/agent/recording/lease-recorder.ts';
import { encodePacket } from '../../src/contract/sockets/stream-packets.ts';
import { silentLog } from '../../src/util/log.ts';
import { until } from './recording-rig.ts';
import { Screen } from './screen.ts';

test('a recording stops when the texts of its clients arrive faster than the disk takes them', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'phonebooth-recorder-'));
  const folder = join(parent, 'recording');
  const recorder = new LeaseRecorder({
    ...{ sessionId: 'session-1', folder, text: true, maxBytes: null, log: silentLog },
    ...{ space: { add: () => {}, shortage: async () => null }, onClosed: () => {} },
  });
  try {
    new Screen((packet) => recorder.packet(encodePacket(packet))).show(1);
    await until(async () => expect(await readdir(folder)).toContain('events.jsonl'));
    const params = { text: 'x'.repeat(200_000) };
    let sent = 0;
    // Without a turn of the event loop, nothing is written meanwhile. 16 MiB may wait.
    for (; sent < 200 && recorder.canRecord; sent += 1)
      recorder.clients.call({ method: 'text', params, by: 'controller' }, 0);
    expect([recorder.canRecord, sent]).toEqual([false, 84]);
  } finally {
    await recorder.close({ isFinal: true });
    await rm(parent, { recursive: true });
  }
});
