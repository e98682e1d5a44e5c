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
import { until } from '../gateway/client.ts';

const hello: LinkHello = { sessionId: 's1', epoch: 3, purpose: 'control', ticket: 'ticket-1' };
const soon = { timeoutMs: 10_000 };

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
  describe(`the link, ${name}`, () => {
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

    test('both ends know the hello', async () => {
      const { agent, gateway } = await connect();
      expect(gateway.hello).toEqual(hello);
      expect(agent.hello).toEqual(hello);
    });

    test('text and binary arrive whole, in order, both ways', async () => {
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

    test('nothing is delivered inside the call of send', async () => {
      const { agent, gateway } = await connect();
      const got = collect(gateway);
      agent.send('x');
      expect(got).toEqual([]);
      await until(() => expect(got).toEqual(['x']));
    });

    test('bytes on their way are counted, and their going is told', async () => {
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

    test('what arrives before there is a listener is kept, up to its bound', async () => {
      const { agent, gateway } = await connect();
      const sent = Array.from({ length: LINK_EARLY_MESSAGES }, (_, n) => `${n}`);
      for (const message of sent) agent.send(message);
      await until(() => expect(agent.bufferedBytes).toBe(0));
      const got = collect(gateway);
      agent.send('last');
      await until(() => expect(got).toEqual([...sent, 'last']));
      expect(gateway.closed).toBe(false);
    });

    test('over that bound the link closes', async () => {
      const { agent, gateway } = await connect();
      for (let n = 0; n <= LINK_EARLY_MESSAGES; n += 1) agent.send(`${n}`);
      await until(() => expect(gateway.closed).toBe(true));
      await until(() => expect(agent.closed).toBe(true));
    });

    test.each(['agent', 'gateway'] as const)(
      'closing at the %s is told to both ends, once',
      async (which) => {
        const ends = await connect();
        const told: string[] = [];
        ends.agent.onClose(() => told.push('agent'));
        ends.gateway.onClose(() => told.push('gateway'));
        ends[which].close();
        ends[which].close();
        await until(() => expect(told.toSorted()).toEqual(['agent', 'gateway']));
        expect([ends.agent.closed, ends.gateway.closed]).toEqual([true, true]);
        ends.agent.send('too late');
        ends.gateway.send('too late');
      },
    );

    test('what was sent before the close arrives before it', async () => {
      const { agent, gateway } = await connect();
      const events: string[] = [];
      gateway.onMessage((message) => events.push(String(message)));
      gateway.onClose(() => events.push('closed'));
      agent.send('a');
      agent.send('b');
      agent.close();
      await until(() => expect(events).toEqual(['a', 'b', 'closed']));
    });

    test('onClose on a link closed already is called at once', async () => {
      const { agent } = await connect();
      agent.close();
      let told = false;
      agent.onClose(() => {
        told = true;
      });
      expect(told).toBe(true);
    });

    test('a hello that is not accepted is refused, and no link appears', async () => {
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

    test('dialling where nobody listens fails', async () => {
      listener.accept(
        () => true,
        () => {},
      );
      const { ingest } = listener;
      await listener[Symbol.asyncDispose]();
      await expect(dialer.dial(ingest, hello, soon)).rejects.toBeInstanceOf(LinkError);
    });

    test('closing the listener closes its links', async () => {
      const { agent, gateway } = await connect();
      await listener[Symbol.asyncDispose]();
      await until(() => expect([agent.closed, gateway.closed]).toEqual([true, true]));
    });

    test('text and binary of all sizes, sent as fast as they go, arrive whole and in order', async () => {
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

    test('a message of many megabytes arrives whole, and those behind it after it', async () => {
      const { agent, gateway } = await connect();
      const got: string[] = [];
      agent.onMessage((message) => got.push(digest(message)));
      const large = randomBytes(8_000_000);
      gateway.send(large);
      gateway.send('behind');
      await until(() => expect(got).toEqual([digest(large), digest('behind')]));
    });

    test('all of a large backlog arrives before the close', async () => {
      const { agent, gateway } = await connect();
      const events: string[] = [];
      gateway.onMessage((message) => events.push(`${message.length}`));
      gateway.onClose(() => events.push('closed'));
      for (let n = 0; n < 40; n += 1) agent.send(new Uint8Array(200_000));
      agent.close();
      await until(() => expect(events).toEqual([...Array(40).fill('200000'), 'closed']));
    });

    test('links do not hear each other', async () => {
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
