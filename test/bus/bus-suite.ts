import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ANY_ADDRESS, type Bus } from '../../src/bus/bus.ts';
import type { BusMessages } from '../../src/bus/messages.ts';
import { until } from '../gateway/client.ts';
import { promised } from '../nightly.ts';
import { changed, dial, ended, kindOf } from './samples.ts';

type Changed = BusMessages['session.changed'];

/** Two ends of one bus. Both ends of an in-process bus are the same object. */
export interface BusPair {
  near: Bus;
  far: Bus;
  /** Resolves when all current subscriptions and services are registered at both ends. */
  settled(): Promise<void>;
}

/** Defines the tests that every implementation of the bus must pass. */
export function busSuite(name: string, open: () => Promise<BusPair>): void {
  describe(`bus: ${name}`, () => {
    let near: Bus;
    let far: Bus;
    let settled: () => Promise<void>;
    beforeEach(async () => {
      ({ near, far, settled } = await open());
    });
    afterEach(async () => {
      await near[Symbol.asyncDispose]();
      await far[Symbol.asyncDispose]();
    });

    test('delivers every message to every subscriber in order', async () => {
      const got: string[][] = [[], []];
      for (const list of got) far.subscribe('session.changed', (message) => list.push(message.sessionId));
      await settled();
      const sent = Array.from({ length: 50 }, (_, index) => `s${index}`);
      for (const id of sent) near.publish('session.changed', changed(id));
      await until(() => expect(got).toEqual([sent, sent]));
    });

    test('never delivers during the call of publish', async () => {
      let delivered = false;
      near.subscribe('session.changed', () => {
        delivered = true;
      });
      await settled();
      near.publish('session.changed', changed('s'));
      expect(delivered).toBe(false);
      await until(() => expect(delivered).toBe(true));
    });

    test('shares no object between receivers or with the sender', async () => {
      const got: Changed[] = [];
      for (const bus of [near, far]) {
        bus.subscribe('session.changed', (message) => {
          got.push({ ...message });
          message.sessionId = 'modified by a receiver';
        });
      }
      await settled();
      const message = changed('s');
      near.publish('session.changed', message);
      message.sessionId = 'modified by the sender';
      await until(() => expect(got.map((each) => each.sessionId)).toEqual(['s', 's']));
    });

    test('delivers nothing to a closed subscription, and allows it to be closed twice', async () => {
      const got: string[] = [];
      const closing = far.subscribe('session.changed', (message) => got.push(`closed ${message.sessionId}`));
      far.subscribe('session.changed', (message) => got.push(message.sessionId));
      await settled();
      closing.close();
      closing.close();
      await settled();
      near.publish('session.changed', changed('s'));
      await until(() => expect(got).toEqual(['s']));
    });

    test('routes a request to the responder for its name and address', async () => {
      const got: string[] = [];
      far.serve('host.dial', 'h1', async (request) => {
        got.push(request.sessionId);
        return {};
      });
      far.serve('host.dial', 'h2', async () => {
        throw new Error('the request reached the wrong host');
      });
      await settled();
      await expect(near.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 })).resolves.toEqual({});
      expect(got).toEqual(['s']);
    });

    test('passes the requested address to a responder for every address', async () => {
      const got: [string, string][] = [];
      far.serve('host.dial', ANY_ADDRESS, async (request, address) => {
        got.push([request.sessionId, address]);
        return {};
      });
      await settled();
      await near.request('host.dial', 'h1', dial('s1'), { timeoutMs: 60_000 });
      await near.request('host.dial', 'h-2_B', dial('s2'), { timeoutMs: 60_000 });
      expect(got).toEqual([
        ['s1', 'h1'],
        ['s2', 'h-2_B'],
      ]);
    });

    test('delivers a request to the control plane to one server, whether it serves this or every address', async () => {
      let answered = 0;
      const serve = async () => {
        answered += 1;
        return {};
      };
      far.serve('control-plane.ended', 'h1', serve);
      far.serve('control-plane.ended', ANY_ADDRESS, serve);
      await settled();
      for (let n = 1; n <= 20; n++) {
        await near.request('control-plane.ended', 'h1', ended('s'), { timeoutMs: 60_000 });
        expect(answered).toBe(n);
      }
    });

    test('answers a request to a host that still has a dead subscribed connection', async () => {
      let unanswered = 0;
      for (let n = 0; n < 3; n++) {
        far.serve('host.dial', 'h1', () => {
          unanswered += 1;
          return new Promise(() => {});
        });
      }
      far.serve('host.dial', 'h1', async () => ({ refused: 'live' }));
      await settled();
      for (let n = 1; n <= 10; n++) {
        const answer = await near.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 });
        expect(answer).toEqual({ refused: 'live' });
      }
      await until(() => expect(unanswered).toBe(30));
    });

    test.each(['', '*', '>', 'h1.report', 'h 1', 'h1\r\nPUB x', 'h'.repeat(129)])(
      'rejects the address %j',
      async (address) => {
        await expect(
          near.request('host.dial', address, dial('s'), { timeoutMs: 60_000 }),
        ).rejects.toMatchObject({
          kind: 'failed',
          message: expect.stringContaining('not a valid address'),
        });
        if (address !== ANY_ADDRESS)
          expect(() => far.serve('host.dial', address, async () => ({}))).toThrow('not a valid address');
      },
    );

    test('rejects a request without a responder immediately', async () => {
      const started = performance.now();
      await expect(
        kindOf(near.request('host.dial', 'nobody', dial('s'), { timeoutMs: 60_000 })),
      ).resolves.toBe('no-responder');
      expect(performance.now() - started).toBeLessThan(promised(5_000));
    });

    test('sends no request to a closed responder', async () => {
      const serving = far.serve('host.dial', 'h1', async () => ({}));
      await settled();
      serving.close();
      await settled();
      await expect(kindOf(near.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 }))).resolves.toBe(
        'no-responder',
      );
    });

    test('rejects a request that is not answered in time with a timeout', async () => {
      far.serve('host.dial', 'h1', () => new Promise(() => {}));
      await settled();
      await expect(kindOf(near.request('host.dial', 'h1', dial('s'), { timeoutMs: 30 }))).resolves.toBe(
        'timeout',
      );
    });

    test('rejects a request with the message of the error that its responder throws', async () => {
      far.serve('host.dial', 'h1', async () => {
        throw new Error('the phone is on fire');
      });
      await settled();
      await expect(near.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 })).rejects.toMatchObject({
        kind: 'failed',
        message: 'the phone is on fire',
      });
    });

    test('distributes requests to the control plane among several servers', async () => {
      const counts = [0, 0, 0];
      for (const index of counts.keys()) {
        far.serve('control-plane.ended', 'h1', async () => {
          counts[index]! += 1;
          return {};
        });
      }
      await settled();
      const ask = () => near.request('control-plane.ended', 'h1', ended('s'), { timeoutMs: 60_000 });
      await Promise.all(Array.from({ length: 60 }, ask));
      expect(counts.reduce((sum, count) => sum + count)).toBe(60);
      for (const count of counts) expect(count).toBeGreaterThan(5);
    });

    test('rejects pending and later requests on close', async () => {
      far.serve('host.dial', 'h1', () => new Promise(() => {}));
      await settled();
      const waiting = kindOf(near.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 }));
      await near[Symbol.asyncDispose]();
      await expect(waiting).resolves.toBe('closed');
      await expect(kindOf(near.request('host.dial', 'h1', dial('s'), { timeoutMs: 60_000 }))).resolves.toBe(
        'closed',
      );
      expect(() => near.publish('session.changed', changed('s'))).not.toThrow();
    });
  });
}
