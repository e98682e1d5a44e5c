/**
 * An agent's end of links, in a separate process: screens that send packets of fixed size at a constant rate over
 * each requested connection.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { StreamFanout } from '../../src/agent/stream-fanout.ts';
import type { BusRequests } from '../../src/bus/messages.ts';
import { LinkError } from '../../src/link/link.ts';
import { WebSocketDialer } from '../../src/link/websocket-dialer.ts';
import { silentLog } from '../../src/util/log.ts';
import { answerAtOnce } from './answer-at-once.ts';
import { answerParent } from './child.ts';
import { PacketSource, type SourceOptions } from './packet-source.ts';

const DIAL_TIMEOUT_MS = 10_000;

const dialer = new WebSocketDialer({ log: silentLog });
/** Sources of the links or connections that are measured individually. */
let sources: PacketSource[] = [];
let closers: (() => void)[] = [];
/** The screens that gateways watch, by session. */
const screens = new Map<string, StreamFanout>();

async function dialLinks({ ingest, count }: { ingest: string; count: number }): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const hello = { sessionId: `session-${n}`, epoch: 1, purpose: 'stream' as const, ticket: 'any' };
    const link = await dialer.dial(ingest, hello, { timeoutMs: DIAL_TIMEOUT_MS });
    sources.push(new PacketSource((packet) => link.send(packet)));
    closers.push(() => link.close());
  }
}

async function connectPipes({ port, count }: { port: number; count: number }): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, minVersion: 'TLSv1.3' });
    socket.on('error', () => {});
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(DIAL_TIMEOUT_MS) });
    socket.setNoDelay();
    sources.push(new PacketSource((packet) => socket.write(packet)));
    closers.push(() => socket.destroy());
  }
}

/** Creates screens as an agent does, each with its fanout, to which gateways attach later. */
function openScreens({ count }: { count: number }): void {
  for (let n = 0; n < count; n += 1) {
    const fanout = new StreamFanout({ requestKeyframe: () => source.requestKeyframe(), onEmpty: () => {} });
    const source = new PacketSource((packet) => fanout.push(packet));
    source.begin();
    sources.push(source);
    screens.set(`session-${n}`, fanout);
  }
}

/** A gateway whose request timed out rejects the link and sends a new request. */
async function attach({ ingest, ...hello }: BusRequests['host.dial']['request']): Promise<void> {
  try {
    const link = await dialer.dial(ingest, hello, { timeoutMs: DIAL_TIMEOUT_MS });
    if (hello.purpose === 'control') answerAtOnce(link);
    else screens.get(hello.sessionId)!.attach(link);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
  }
}

/** Starts the sources at different times, because real phones are not in step with each other. */
async function start(options: SourceOptions): Promise<void> {
  for (const source of sources) {
    source.start(options);
    await delay(1000 / options.perSecond / sources.length);
  }
}

function closeLinks(): void {
  for (const source of sources) source.stop();
  for (const end of closers) end();
  [sources, closers] = [[], []];
}

answerParent({
  dialLinks,
  connectPipes,
  openScreens,
  attach,
  start,
  stop: () => {
    for (const source of sources) source.stop();
  },
  closeLinks,
  links: () => [...screens.values()].reduce((sum, { linkCount }) => sum + linkCount, 0),
});
