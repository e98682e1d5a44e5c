import { NatsBus, type NatsBusOptions } from '../../src/bus/nats.ts';
import { silentLog } from '../../src/util/log.ts';
import type { TestNats } from '../fixtures/nats.ts';
import { kindOf } from './samples.ts';

export const connectBus = (server: Pick<TestNats, 'url'>, options: Partial<NatsBusOptions> = {}) =>
  NatsBus.connect({ url: server.url, name: 'test', hostId: null, log: silentLog, ...options });

/**
 * A NATS server processes a connection's messages in order. After a response, it has processed all earlier messages.
 */
export async function roundTrip(...buses: NatsBus[]): Promise<void> {
  for (const bus of buses) {
    const kind = await kindOf(bus.request('host.orders', 'nobody', { orders: [] }, { timeoutMs: 5_000 }));
    if (kind !== 'no-responder') throw new Error(`the server did not respond: ${kind}`);
  }
}
