import { NatsBus, type NatsBusOptions } from '../../src/bus/nats.ts';
import { silentLog } from '../../src/util/log.ts';
import { PauseWatch } from '../../src/util/pause-watch.ts';
import type { TestNats } from '../fixtures/nats.ts';
import { kindOf } from './samples.ts';

/**
 * Connects a bus that waits for a busy machine and discards no requests after this process stood still, unless the
 * options say otherwise.
 */
export const connectBus = (server: Pick<TestNats, 'url'>, options: Partial<NatsBusOptions> = {}) =>
  NatsBus.connect({
    ...{ url: server.url, name: 'test', hostId: null, log: silentLog, pauses: new PauseWatch([]) },
    connectTimeoutMs: 60_000,
    ...options,
  });

/**
 * A NATS server processes a connection's messages in order. After a response, it has processed all earlier messages.
 */
export async function roundTrip(...buses: NatsBus[]): Promise<void> {
  for (const bus of buses) {
    const kind = await kindOf(bus.request('host.orders', 'nobody', { orders: [] }, { timeoutMs: 60_000 }));
    if (kind !== 'no-responder') throw new Error(`the server did not respond: ${kind}`);
  }
}
