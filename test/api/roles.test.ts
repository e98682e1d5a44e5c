import { beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/http/operations.ts';
import type { Api } from '../black-box/kit/api.ts';
import { useLocalTarget as localTarget } from '../black-box/kit/target.ts';
import { newClient } from './kit/clients.ts';

const MAY = {
  viewer: ['read'],
  user: ['read', 'borrow'],
  admin: ['read', 'borrow', 'admin'],
};

/**
 * One call per operation. The input is deliberately invalid where an operation takes input, because the service
 * checks the role before the input.
 */
const CALLS = Object.entries(operations({ maxDurationMinutes: 480 })).map(
  ([id, { method, path, access }]) => ({
    id,
    method,
    access: access as string,
    path: path.replaceAll(/\{\w+\}/g, 'unknown'),
  }),
);

/** Excludes the endless event stream, which other tests cover. */
const isAsked = ({ id }: { id: string }) => id !== 'events.listen';

const target = localTarget('the embedded store');

describe.each(['viewer', 'user', 'admin'] as const)('a key with the role %s', (role) => {
  let api: Api;
  beforeAll(async () => {
    api = (await newClient(target.api, { role })).api;
  });

  test.each(CALLS.filter(isAsked))('$id', async ({ method, path, access }) => {
    const { status, code, message } = await api.request(method, path, { body: { wrong: true } });
    if (MAY[role].includes(access)) {
      expect(code, message).not.toBe(40003);
      expect(code, message).not.toBe(40001);
      expect(code, message).not.toBe(40007);
      expect(status).toBeLessThan(500);
    } else {
      expect({ status, code }).toEqual({ status: 403, code: 40003 });
    }
  });
});

test('every operation requires a key', async () => {
  for (const { id, method, path } of CALLS) {
    const { status, code } = await target.api.request(method, path, { key: null });
    expect({ id, status, code }).toEqual({ id, status: 401, code: 40001 });
  }
});
