import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { BusError } from '../../bus/bus.ts';
import type { SessionRow } from '../../store/entities.ts';
import { WebDriverError } from '../../webdriver/protocol/errors.ts';
import { PhoneCalls } from './phone-calls.ts';

const deflated = (text: string) => deflateRawSync(text).toString('base64');
const session = { id: 'ses_1', epoch: 1, hostId: 'host-1' } as SessionRow;

test.each([
  ['failed', 'no phone of this host serves session ses_1 at epoch 1', 'invalid session id', 404],
  ['failed', '4096 requests are already in progress', 'unknown error', 503],
  ['failed', 'host.call at host-1 is 2000000 bytes, which exceeds max_payload', 'unknown error', 503],
  ['timeout', 'host.call at host-1 did not answer within 5000 ms', 'timeout', 500],
  ['no-responder', 'no subscriber serves host.call at host-1', 'unknown error', 500],
  ['unreachable', 'the NATS server is unavailable', 'unknown error', 503],
] as const)('an error of the bus is reported by its cause: %s, %s', async (kind, message, error, status) => {
  const bus = { request: () => Promise.reject(new BusError(kind, message)) };
  const calls = new PhoneCalls({ bus: bus as never }, session);
  const caught = await calls.touch().catch((thrown: unknown) => thrown);
  expect(caught).toBeInstanceOf(WebDriverError);
  expect(caught).toMatchObject({ error, status });
  expect((caught as Error).message).not.toContain('host-1');
});

test.each([{ result: '{' }, { packed: 'not deflated' }, { packed: deflated('x'.repeat(17 * 1024 * 1024)) }])(
  'an invalid response of a host is not an error of the service: %#',
  async (response) => {
    const answer = { automation: null, width: 1, height: 1, capabilities: [], ...response };
    const calls = new PhoneCalls({ bus: { request: async () => answer } as never }, session);
    const caught = await calls.callDirectly('conditions.get', {}).catch((thrown: unknown) => thrown);
    expect(caught).toMatchObject({
      error: 'unknown error',
      message: 'the host of the phone sent an invalid response; upgrade the host',
    });
  },
);
