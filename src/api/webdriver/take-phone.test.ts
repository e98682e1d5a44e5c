import { expect, test } from 'vitest';
import { readCapabilities } from '../../webdriver/protocol/capabilities.ts';
import { takePhone } from './take-phone.ts';

const wanted = readCapabilities({
  capabilities: { alwaysMatch: { 'phonebooth:options': { kind: 'simulated' } } },
});

/** Returns the ids of the phones that a client tries to borrow. All of them are in use by then. */
async function triedAmong(statuses: string[]): Promise<string[]> {
  const items = statuses.map((status, n) => ({ id: `d${n}`, name: 'Phone', model: 'P', status }));
  const tried: string[] = [];
  const store = {
    listDevices: async () => ({ items }),
    connect: async ({ deviceId }: { deviceId: string }) => {
      tried.push(deviceId);
      return { ok: false, refusal: { why: 'device-unavailable', reason: 'in_use' } };
    },
  };
  const options = { caller: { accountId: 'acc_1', keyId: 'key_1' }, audit: {}, disconnected: {} };
  const taking = takePhone({ store } as never, wanted, options as never);
  await expect(taking).rejects.toMatchObject({ code: 40010 });
  return tried;
}

test('tries the phones that are available, and one if none is', async () => {
  expect(await triedAmong(['busy', 'available', 'busy', 'available'])).toEqual(['d1', 'd3']);
  expect(await triedAmong(['busy', 'busy', 'busy'])).toEqual(['d0']);
});
