/**
 * Records a lease in the given folder until it is killed, in real time, and prints the time since the first frame.
 */
import { writeSync } from 'node:fs';
import { LeaseRecorder } from '../../src/agent/recording/lease-recorder.ts';
import { encodePacket } from '../../src/contract/sockets/stream-packets.ts';
import { silentLog } from '../../src/util/log.ts';
import { Screen } from './screen.ts';

const INTERVAL_MS = 40;

const recorder = new LeaseRecorder({
  ...{ sessionId: 'session-1', folder: process.argv[2]!, text: false, maxBytes: null, log: silentLog },
  space: { add: () => {}, shortage: async () => null },
  onClosed: () => {},
});
const screen = new Screen((packet) => recorder.packet(encodePacket(packet)));
screen.show(1, INTERVAL_MS);
const startedAt = performance.now();
setInterval(() => {
  screen.show(1, performance.now() - startedAt - screen.shownMs);
  recorder.mark('alive');
  writeSync(1, `${Math.round(performance.now() - startedAt)}\n`);
}, INTERVAL_MS);
