import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Principal } from '../store/accounts/account-store.ts';
import { silentLog } from '../util/log.ts';
import { Authenticator } from './authenticate.ts';

const PRINCIPAL: Principal = {
  keyId: 'key_1',
  accountId: 'acc_1',
  userId: null,
  limitKeyId: 'key_1',
  accountName: 'team',
  role: 'user',
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

function authenticator() {
  const store = {
    authenticate: vi.fn(async (): Promise<Principal | null> => PRINCIPAL),
    recordKeyUse: vi.fn(async () => {}),
  };
  const known = new Authenticator(store, silentLog);
  return { store, ask: (address = '192.0.2.1') => known.authenticate('Bearer pb_key', address) };
}

test('looks up a valid key once per second and an invalid key every time', async () => {
  const { store, ask } = authenticator();
  expect([await ask(), await ask()]).toEqual([PRINCIPAL, PRINCIPAL]);
  expect(store.authenticate).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_001);
  store.authenticate.mockResolvedValue(null);
  for (let calls = 2; calls < 4; calls += 1) {
    await expect(ask()).rejects.toMatchObject({ code: 40001 });
    expect(store.authenticate).toHaveBeenCalledTimes(calls);
  }
});

test('records the use of a valid key once per minute and never that of an invalid one', async () => {
  const { store, ask } = authenticator();
  await ask();
  vi.advanceTimersByTime(59_000);
  await ask('192.0.2.2');
  expect(store.recordKeyUse.mock.calls).toEqual([[{ keyId: 'key_1', address: '192.0.2.1' }]]);
  vi.advanceTimersByTime(1_000);
  await ask('192.0.2.2');
  expect(store.recordKeyUse).toHaveBeenLastCalledWith({ keyId: 'key_1', address: '192.0.2.2' });
  const bad = authenticator();
  bad.store.authenticate.mockResolvedValue(null);
  await expect(bad.ask()).rejects.toMatchObject({ code: 40001 });
  expect(bad.store.recordKeyUse).not.toHaveBeenCalled();
});

test('does not fail a request if the use of its key cannot be recorded', async () => {
  const { store, ask } = authenticator();
  store.recordKeyUse.mockRejectedValue(new Error('store unavailable'));
  expect(await ask()).toEqual(PRINCIPAL);
});
