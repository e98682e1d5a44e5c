import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Link,
  type LinkDialer,
  LinkError,
  type LinkHello,
  type LinkListener,
} from '../../src/link/link.ts';
import type { Keepalive } from '../../src/link/websocket-link.ts';
import { until } from '../gateway/client.ts';
import { promised } from '../nightly.ts';
import type { FaultyNetwork } from './faulty-network.ts';
import { QUICK } from './ingest-rig.ts';

const hello: LinkHello = { sessionId: 's1', epoch: 3, purpose: 'stream', ticket: 'ticket-1' };

/**
 * Tests how a link behaves when the network between its ends fails. Every network implementation must pass them.
 * Unless a test states otherwise, pings are sent every 200 ms, and a peer that misses three of them counts as dead.
 */
export function networkSuite(
  name: string,
  open: (keepalive: Keepalive) => Promise<{
    listener: LinkListener;
    dialer: LinkDialer;
    network: FaultyNetwork;
    close(): Promise<void>;
  }>,
): void {
  describe(`network link: ${name}`, () => {
    let world: Awaited<ReturnType<typeof open>>;
    beforeEach(async () => {
      world = await open(QUICK);
    });
    const close = async () => {
      await world.listener[Symbol.asyncDispose]();
      await world.close();
    };
    afterEach(close);

    const connect = async () => {
      const { promise, resolve } = Promise.withResolvers<Link>();
      world.listener.accept(() => true, resolve);
      const agent = await world.dialer.dial(world.listener.ingest, hello, { timeoutMs: 60_000 });
      return { agent, gateway: await promise };
    };

    test('reports a connection reset to both ends once', async () => {
      const { agent, gateway } = await connect();
      const notified: string[] = [];
      agent.onClose(() => notified.push('agent'));
      gateway.onClose(() => notified.push('gateway'));
      world.network.cut();
      await until(() => expect(notified.toSorted()).toEqual(['agent', 'gateway']));
      expect([agent.closed, gateway.closed]).toEqual([true, true]);
    });

    test('delivers no part of a large message that is interrupted by a reset', async () => {
      const { agent, gateway } = await connect();
      const got: number[] = [];
      gateway.onMessage((message) => got.push(message.length));
      world.network.rate = 1_000_000;
      agent.send(new Uint8Array(10));
      agent.send(new Uint8Array(8_000_000));
      await until(() => expect(got).toEqual([10]));
      world.network.cut();
      await until(() => expect(gateway.closed).toBe(true));
      expect(got).toEqual([10]);
    });

    test('keeps an idle link open for much longer than the silence timeout', async () => {
      const { agent, gateway } = await connect();
      const started = performance.now();
      await until(() => expect(performance.now() - started).toBeGreaterThan(2000));
      expect([agent.closed, gateway.closed]).toEqual([false, false]);
    });

    test.each(['agent', 'gateway'] as const)(
      'detects on the %s that the other end is silent and the connection dead',
      async (which) => {
        const ends = await connect();
        const started = performance.now();
        world.network.discardData();
        await until(() => expect(ends[which].closed).toBe(true));
        expect(performance.now() - started).toBeGreaterThan(300);
      },
    );

    test('detects a dead connection on an agent with queued data that cannot be sent', async () => {
      const { agent } = await connect();
      world.network.discardData();
      for (let n = 0; n < 100; n += 1) agent.send(new Uint8Array(200_000));
      await until(() => expect(agent.closed).toBe(true));
    });

    test('keeps a link on a slow network on which pings are delayed by data, and delivers everything', async () => {
      const { agent, gateway } = await connect();
      const sizes: number[] = [];
      gateway.onMessage((message) => sizes.push(message.length));
      world.network.rate = 4_000_000;
      const started = performance.now();
      for (let n = 0; n < 4; n += 1) agent.send(new Uint8Array(2_000_000));
      await until(() => expect(sizes).toEqual([2_000_000, 2_000_000, 2_000_000, 2_000_000]));
      expect(performance.now() - started).toBeGreaterThan(1000);
      expect([agent.closed, gateway.closed]).toEqual([false, false]);
    });

    test('closes this end immediately if the peer is silent', async () => {
      const { agent } = await connect();
      world.network.discardData();
      agent.close();
      expect(agent.closed).toBe(true);
    });

    test('times out if a listener does not respond', async () => {
      world.listener.accept(
        () => true,
        () => {},
      );
      world.network.discardData();
      const started = performance.now();
      const dialled = world.dialer.dial(world.listener.ingest, hello, { timeoutMs: 300 });
      await expect(dialled).rejects.toThrow('did not answer in time');
      expect(performance.now() - started).toBeLessThan(promised(5_000));
    });

    test('fails immediately if the connection is refused, and connects once the listener is back', async () => {
      world.listener.accept(
        () => true,
        () => {},
      );
      world.network.cut();
      const dialled = world.dialer.dial(world.listener.ingest, hello, { timeoutMs: 60_000 });
      await expect(dialled).rejects.toBeInstanceOf(LinkError);
      world.network.heal();
      const { agent } = await connect();
      expect(agent.closed).toBe(false);
    });

    test('does not delay other links because of a stalled one', async () => {
      await close();
      // The long interval prevents the stalled link from being detected as dead before the other link is open.
      world = await open({ ...QUICK, pingMs: 20_000 });
      const gateways: Link[] = [];
      world.listener.accept(
        () => true,
        (link) => gateways.push(link),
      );
      const dial = (sessionId: string) =>
        world.dialer.dial(world.listener.ingest, { ...hello, sessionId }, { timeoutMs: 60_000 });
      const stalled = await dial('s1');
      world.network.rate = 1000;
      stalled.send(new Uint8Array(20_000_000));
      await until(() => expect(world.network.holding).toBe(1));
      world.network.rate = Number.POSITIVE_INFINITY;
      const other = await dial('s2');
      await until(() => expect(gateways.length).toBe(2));
      const got: unknown[] = [];
      gateways[1]!.onMessage((message) => got.push(message));
      other.send('through');
      await until(() => expect(got).toEqual(['through']));
      expect(stalled.bufferedBytes).toBeGreaterThan(0);
    });
  });
}
