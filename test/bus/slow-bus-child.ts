/**
 * A subscriber in a separate process, which the test stops. It prints the messages that it receives and the state of
 * its bus.
 */
import { NatsBus } from '../../src/bus/nats.ts';
import { silentLog } from '../../src/util/log.ts';

const tell = (text: string) => process.send!(text);
const log = { ...silentLog, warn: () => tell('down'), info: () => tell('back') };
const bus = await NatsBus.connect({ url: process.argv[2]!, name: 'slow', hostId: null, log });
bus.subscribe('session.changed', ({ sessionId }) => tell(sessionId));
await bus.request('host.orders', 'nobody', { orders: [] }, { timeoutMs: 60_000 }).catch(() => {});
process.once('disconnect', () => void bus[Symbol.asyncDispose]());
tell('ready');
