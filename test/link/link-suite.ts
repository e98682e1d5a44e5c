import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  LINK_EARLY_MESSAGES,
  type Link,
  type LinkDialer,
  LinkError,
  type LinkHello,
  type LinkListener,
  type LinkMessage,
} from '../../src/link/link.ts';
import { until as eventually } from '../black-box/kit/wait.ts';
import { fakeClock, until } from '../gateway/client.ts';

const hello: LinkHello = { sessionId: 's1', epoch: 3, purpose: 'control', ticket: 'ticket-1' };
const soon = { timeoutMs: 60_000 };

const digest = (message: LinkMessage): string =>
  `${typeof message} ${message.length} ${createHash('sha1').update(message).digest('hex')}`;

function collect(link: Link): LinkMessage[] {
  const got: LinkMessage[] = [];
  link.onMessage((message) => got.push(typeof message === 'string' ? message : new Uint8Array(message)));
  return got;
}

/** Defines the tests that every implementation of a link must pass. */
export function linkSuite(
  name: string,
  open: () => Promise<{ listener: LinkListener; dialer: LinkDialer; close(): Promise<void> }>,
): void {
  describe(`link: ${name}`, () => {
    let listener: LinkListener;
    let dialer: LinkDialer;
    let closeAll: () => Promise<void>;
    beforeEach(async () => {
      ({ listener, dialer, close: closeAll } = await open());
    });
    afterEach(async () => {
      await listener[Symbol.asyncDispose]();
      await closeAll();
    });

    const connect = async () => {
      const { promise, resolve } = Promise.withResolvers<Link>();
      listener.accept(() => true, resolve);
      const agent = await dialer.dial(listener.ingest, hello, soon);
      return { agent, gateway: await promise };
    };

    test('passes the hello to both ends', async () => {
      const { agent, gateway } = await connect();
      expect(gateway.hello).toEqual(hello);
      expect(agent.hello).toEqual(hello);
    });

    test('transfers text and binary messages complete and in order in both directions', async () => {
      const { agent, gateway } = await connect();
      const [atAgent, atGateway] = [collect(agent), collect(gateway)];
      const sent = Array.from({ length: 500 }, (_, n) =>
        n % 3 === 0 ? `text ${n} é` : Uint8Array.of(n & 255, n >> 8),
      );
      for (const message of sent) {
        agent.send(message);
        gateway.send(message);
      }
      await until(() => expect(atGateway).toEqual(sent));
      await until(() => expect(atAgent).toEqual(sent));
    });

    test('delivers nothing during the call of send', async () => {
      const { agent, gateway } = await connect();
      const got = collect(gateway);
      agent.send('x');
      expect(got).toEqual([]);
      await until(() => expect(got).toEqual(['x']));
    });

    test('counts bytes in flight and notifies when they are sent', async () => {
      const { agent, gateway } = await connect();
      const got = collect(gateway);
      let drains = 0;
      agent.onDrain(() => {
        drains += 1;
      });
      for (let n = 0; n < 8; n += 1) agent.send(new Uint8Array(100_000));
      expect(agent.bufferedBytes).toBeGreaterThanOrEqual(800_000);
      await until(() => expect(got.length).toBe(8));
      await until(() => expect(drains).toBeGreaterThan(0));
      expect(agent.bufferedBytes).toBe(0);
    });

    test('buffers messages up to a limit until there is a listener', async () => {
      const { agent, gateway } = await connect();
      const sent = Array.from({ length: LINK_EARLY_MESSAGES }, (_, n) => `${n}`);
      for (const message of sent) agent.send(message);
      await until(() => expect(agent.bufferedBytes).toBe(0));
      const got = collect(gateway);
      agent.send('last');
      await until(() => expect(got).toEqual([...sent, 'last']));
      expect(gateway.closed).toBe(false);
    });

    test('closes the link above that limit', async () => {
      const { agent, gateway } = await connect();
      for (let n = 0; n <= LINK_EARLY_MESSAGES; n += 1) agent.send(`${n}`);
      await until(() => expect(gateway.closed).toBe(true));
      await until(() => expect(agent.closed).toBe(true));
    });

    test.each(['agent', 'gateway'] as const)('reports a close at the %s to both ends once', async (which) => {
      const ends = await connect();
      const notified: string[] = [];
      ends.agent.onClose(() => notified.push('agent'));
      ends.gateway.onClose(() => notified.push('gateway'));
      ends[which].close();
      ends[which].close();
      await until(() => expect(notified.toSorted()).toEqual(['agent', 'gateway']));
      expect([ends.agent.closed, ends.gateway.closed]).toEqual([true, true]);
      ends.agent.send('too late');
      ends.gateway.send('too late');
    });

    test('delivers messages that were sent before the close', async () => {
      const { agent, gateway } = await connect();
      const events: string[] = [];
      gateway.onMessage((message) => events.push(String(message)));
      gateway.onClose(() => events.push('closed'));
      agent.send('a');
      agent.send('b');
      agent.close();
      await until(() => expect(events).toEqual(['a', 'b', 'closed']));
    });

    test('calls onClose immediately on a link that is already closed', async () => {
      const { agent } = await connect();
      agent.close();
      let notified = false;
      agent.onClose(() => {
        notified = true;
      });
      expect(notified).toBe(true);
    });

    test('rejects a hello that the listener does not accept, without creating a link', async () => {
      const links: Link[] = [];
      const asked: LinkHello[] = [];
      listener.accept(
        (given) => {
          asked.push(given);
          return given.ticket !== hello.ticket;
        },
        (link) => links.push(link),
      );
      await expect(dialer.dial(listener.ingest, hello, soon)).rejects.toBeInstanceOf(LinkError);
      expect(asked).toEqual([hello]);
      expect(links).toEqual([]);
    });

    test('fails to dial without a listener', async () => {
      listener.accept(
        () => true,
        () => {},
      );
      const { ingest } = listener;
      await listener[Symbol.asyncDispose]();
      await expect(dialer.dial(ingest, hello, soon)).rejects.toBeInstanceOf(LinkError);
    });

    test('closes the links of a listener when it is closed', async () => {
      const { agent, gateway } = await connect();
      await listener[Symbol.asyncDispose]();
      await until(() => expect([agent.closed, gateway.closed]).toEqual([true, true]));
    });

    test('transfers text and binary messages of all sizes at full speed, complete and in order', async () => {
      const { agent, gateway } = await connect();
      const got: string[] = [];
      gateway.onMessage((message) => got.push(digest(message)));
      const sent: string[] = [];
      for (let n = 0; n < 700; n += 1) {
        const size = [0, 1, 125, 126, 65_535, 65_536, 3][n % 7]!;
        const message =
          n % 2 === 0 ? new Uint8Array(size).fill(n) : String.fromCharCode(97 + (n % 26)).repeat(size);
        sent.push(digest(message));
        agent.send(message);
      }
      await until(() => expect(got.length).toBe(sent.length));
      expect(got).toEqual(sent);
    });

    test('transfers a message of many megabytes complete, and then those after it', async () => {
      const { agent, gateway } = await connect();
      const got: string[] = [];
      agent.onMessage((message) => got.push(digest(message)));
      const large = randomBytes(8_000_000);
      gateway.send(large);
      gateway.send('behind');
      await until(() => expect(got).toEqual([digest(large), digest('behind')]));
    });

    test('delivers a large backlog completely before the close', async () => {
      const { agent, gateway } = await connect();
      // The transfer has 2 s, which must not pass while the machine stands still.
      fakeClock();
      const events: string[] = [];
      gateway.onMessage((message) => events.push(`${message.length}`));
      gateway.onClose(() => events.push('closed'));
      for (let n = 0; n < 40; n += 1) agent.send(new Uint8Array(200_000));
      agent.close();
      await eventually('the close', () => events.includes('closed'));
      expect(events).toEqual([...Array(40).fill('200000'), 'closed']);
    });

    test('delivers messages only to the other end of their link', async () => {
      const gateways: Link[] = [];
      listener.accept(
        () => true,
        (link) => gateways.push(link),
      );
      const first = await dialer.dial(listener.ingest, hello, soon);
      const second = await dialer.dial(listener.ingest, { ...hello, sessionId: 's2' }, soon);
      await until(() => expect(gateways.length).toBe(2));
      const got = gateways.map(collect);
      first.send('one');
      second.send('two');
      await until(() => expect(got).toEqual([['one'], ['two']]));
    });
  });
}
