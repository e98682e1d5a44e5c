/**
 * Records in the given folder until its disk is full, ends the recording, and prints the artifacts. It prints `recording`
 * when the disk is to be filled, and continues after a line on the standard input.
 */
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LeaseRecorder } from '../../src/agent/recording/lease-recorder.ts';
import { prepareArtifacts } from '../../src/agent/recording/prepare-artifacts.ts';
import { encodePacket } from '../../src/contract/sockets/stream-packets.ts';
import { silentLog } from '../../src/util/log.ts';
import { Screen } from './screen.ts';

const POLL_MS = 20;
const BLOCK_BYTES = 4_096;
/** The last line of the events is longer, and the line with the label is shorter than the label and this. */
const REST_BYTES = 100;

const folder = process.argv[2]!;
const recorder = new LeaseRecorder({
  ...{ sessionId: 'session-1', folder, text: false, maxBytes: null, log: silentLog },
  space: { add: () => {}, shortage: async () => null },
  onClosed: () => {},
});

async function eventsHave(bytes: number): Promise<number> {
  for (;;) {
    const facts = await stat(join(folder, 'events.jsonl')).catch(() => null);
    if (facts && facts.size >= bytes) return facts.size;
    await delay(POLL_MS);
  }
}

const screen = new Screen((packet) => recorder.packet(encodePacket(packet)));
screen.show(5);
// A file can still grow within its last block when the disk is full.
const started = await eventsHave(1);
recorder.mark('x'.repeat(BLOCK_BYTES - started - REST_BYTES));
await eventsHave(BLOCK_BYTES - REST_BYTES);
process.stdout.write('recording\n');
await once(process.stdin, 'data');
while (recorder.canRecord) {
  screen.show(1, POLL_MS);
  await delay(POLL_MS);
}
await recorder.close({ isFinal: true });
const { artifacts, detail } = await prepareArtifacts(folder, new AbortController().signal);
const contents = artifacts.map(async ({ facts, head, path, bytes, tail }) => {
  const content = [head ?? '', (await readFile(path)).subarray(0, bytes), tail ?? ''];
  return { facts, content: Buffer.concat(content.map((part) => Buffer.from(part))).toString('base64') };
});
process.stdout.write(`${JSON.stringify({ detail, artifacts: await Promise.all(contents) })}\n`);
process.exit();
