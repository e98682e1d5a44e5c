import { isDeepStrictEqual } from 'node:util';
import { BusError } from '../../../src/bus/bus.ts';
import { type BusMessages, type BusRequests, REQUESTS, TOPICS } from '../../../src/bus/messages.ts';
import { encode, readMessage, readRequest, readResponse } from '../../../src/bus/nats-wire.ts';
import { changed, dial, report } from '../../bus/samples.ts';
import { type Target, unlessRefused } from '../engine/target.ts';

const TOPIC_NAMES = Object.keys(TOPICS) as (keyof BusMessages)[];
const REQUEST_NAMES = Object.keys(REQUESTS) as (keyof BusRequests)[];
const order = { deviceId: 'p', epoch: 4, cleanEpoch: null, lease: null };
const lease = {
  sessionId: 's',
  epoch: 4,
  connected: true,
  app: { request: 1, status: 'installed', error: null },
};
const description = {
  id: 'p',
  name: 'P',
  brand: 'b',
  model: 'm',
  os_version: '1',
  screen_size: '5',
  resolution: '1x1',
};
const phone = { description, usable: true, problem: null, cleanEpoch: 3, lease };

/** Parses a message from NATS, to which every host can publish. */
export const target: Target = {
  seeds: () =>
    [
      changed('ses_1'),
      { from: 'api-1', open: [{ accountId: 'a', count: 2 }] },
      { from: 'api-1', uses: [{ limit: 'key', subject: 'k', count: 1 }] },
      { ...report(), phones: [phone] },
      dial('ses_1'),
      { orders: [order] },
      { sessionId: 's', epoch: 1, reason: 'device_lost', detail: null },
      { answer: { orders: [order], reportAll: true } },
      { answer: { refused: 'no' } },
      { error: 'away' },
    ].map(encode),
  run: (input) => {
    for (const topic of TOPIC_NAMES) check(readMessage(topic, input), (data) => readMessage(topic, data));
    for (const name of REQUEST_NAMES) {
      check(readRequest(name, input), (data) => readRequest(name, data));
      unlessRefused([BusError], () => readResponse(name, input));
    }
  },
};

/** Asserts that a message that was accepted once is also accepted unchanged after it was encoded again. */
function check(message: unknown, read: (data: Uint8Array) => unknown): void {
  if (message !== null && !isDeepStrictEqual(read(encode(message)), message))
    throw new Error('the message does not round-trip');
}
