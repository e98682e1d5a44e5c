import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PhoneSession } from '../client/phone-session.ts';
import type { Phonebooth } from '../client/phonebooth.ts';
import { ServiceError } from '../client/service-error.ts';
import { SessionEndedError } from '../client/session-ended-error.ts';
import { silentLog } from '../util/log.ts';
import { BorrowedPhones, MAX_PHONES } from './borrowed-phones.ts';

const ended = new Map<string, { end_reason: string; end_detail: string | null }>();
const api = {
  getDevice: async (id: string) => ({ name: `Phone ${id}` }),
  getSession: async (id: string) => {
    if (id === 'ses_unknown') throw new ServiceError('unreachable', 0, 0);
    return { status: ended.has(id) ? 'disconnected' : 'connected', ...ended.get(id) };
  },
};

/** Fake session without a service behind it. The tests check which methods were called on it. */
function fakeSession(id: string) {
  const { promise: ended, resolve } = Promise.withResolvers<SessionEndedError>();
  const end = (reason: string, detail: string | null = null) =>
    resolve(new SessionEndedError(reason, detail));
  const session = {
    ...{ id: `ses_${id}`, deviceId: id, ended, expiresAt: new Date().toISOString() },
    disconnect: vi.fn(async () => ({ minutes_charged: 1 })),
    detach: vi.fn(),
  };
  return { session: session as typeof session & PhoneSession, end };
}

let phones: BorrowedPhones;
beforeEach(() => {
  phones = new BorrowedPhones({ api } as unknown as Phonebooth, silentLog);
});
afterEach(() => phones[Symbol.asyncDispose]());

async function take(id: string, isShared = false) {
  const fake = fakeSession(id);
  return { ...fake, phone: await phones.take(async () => fake.session, { isShared }) };
}

const forever = new Promise<never>(() => {});
const never = new AbortController().signal;

describe('the shutdown of an MCP server', () => {
  test('ends the sessions that it started and detaches from shared ones', async () => {
    const [own, shared] = [await take('a'), await take('b', true)];
    await phones[Symbol.asyncDispose]();
    expect(own.session.disconnect).toHaveBeenCalledOnce();
    expect(shared.session.disconnect).not.toHaveBeenCalled();
    expect(shared.session.detach).toHaveBeenCalled();
  });

  test('retries up to three times while the service is unreachable', async () => {
    const [lost, found] = [await take('a'), await take('b')];
    const unreachable = new ServiceError('unreachable', 0, 0);
    lost.session.disconnect.mockRejectedValue(unreachable);
    found.session.disconnect.mockRejectedValueOnce(unreachable);
    await phones[Symbol.asyncDispose]();
    expect(lost.session.disconnect).toHaveBeenCalledTimes(3);
    expect(lost.session.detach).toHaveBeenCalled();
    expect(found.session.disconnect).toHaveBeenCalledTimes(2);
  });

  test('waits for a pending connect and ends that session too', async () => {
    const { session } = fakeSession('a');
    const connecting = Promise.withResolvers<PhoneSession>();
    const taking = phones.take(() => connecting.promise);
    const closing = phones[Symbol.asyncDispose]();
    connecting.resolve(session);
    await taking;
    await closing;
    expect(session.disconnect).toHaveBeenCalledOnce();
  });

  test('rejects further connects', async () => {
    await phones[Symbol.asyncDispose]();
    const { session } = fakeSession('a');
    await expect(phones.take(async () => session)).rejects.toThrow('The call was cancelled.');
  });

  test('cancels pending calls', async () => {
    const work = phones.during(() => forever, { signal: never, deadlineMs: 60_000 });
    const cancelled = expect(work).rejects.toThrow('The call was cancelled.');
    await phones[Symbol.asyncDispose]();
    await cancelled;
  });
});

describe('choosing a phone', () => {
  test('requires a name only if there are several phones', async () => {
    expect(() => phones.pick(undefined)).toThrow('You have no phone. Borrow one with borrow_phone.');
    const { phone: a } = await take('a');
    expect(phones.pick(undefined)).toBe(a);
    const { phone: b } = await take('b');
    expect(() => phones.pick(undefined)).toThrow('Choose one with `phone`: Phone a (ses_a), Phone b (ses_b)');
    expect([phones.pick('ses_a'), phones.pick('B'), phones.pick('phone b')]).toEqual([a, b, b]);
    expect(() => phones.pick('c')).toThrow('You have no phone "c".');
  });
});

test('reports once a session that ended by itself, but not one that the caller ended', async () => {
  const [lost, given] = [await take('a'), await take('b')];
  lost.end('expired');
  await phones.endSession(given.phone);
  given.end('client');
  await lost.session.ended;
  expect(phones.held).toEqual([]);
  expect(phones.takeNotices()).toEqual([
    expect.stringMatching(/^Phone a \(ses_a\): .*its minutes were over/),
  ]);
  expect(phones.takeNotices()).toEqual([]);
});

test('detects the end of a session without a connection and reports it once', async () => {
  const [lost, live, unknown] = [await take('a'), await take('b'), await take('unknown')];
  ended.set('ses_a', { end_reason: 'admin', end_detail: 'needed elsewhere' });
  await phones.refreshSessions();
  expect(phones.held).toEqual([live.phone, unknown.phone]);
  expect(lost.session.detach).toHaveBeenCalled();
  lost.end('admin');
  await lost.session.ended;
  expect(phones.takeNotices()).toEqual([
    expect.stringContaining('an operator ended the session (needed elsewhere)'),
  ]);
});

test('keeps a phone whose session could not be ended', async () => {
  const { phone, session } = await take('a');
  session.disconnect.mockRejectedValueOnce(new ServiceError('unreachable', 0, 0));
  await expect(phones.endSession(phone)).rejects.toThrow('unreachable');
  expect(phones.held).toEqual([phone]);
});

test('limits the number of phones, including pending connects', async () => {
  const pending = Array.from({ length: MAX_PHONES }, () => phones.take(() => forever));
  for (const one of pending) one.catch(() => {});
  await expect(phones.take(() => forever)).rejects.toThrow(
    'which is the maximum. End a session with give_back first.',
  );
  phones = new BorrowedPhones({ api } as unknown as Phonebooth, silentLog);
});

test('limits the concurrent calls and cancels a call that takes too long', async () => {
  const calls = Array.from({ length: 16 }, () =>
    phones.during(() => forever, { signal: never, deadlineMs: 50 }),
  );
  await expect(phones.during(() => forever, { signal: never, deadlineMs: 50 })).rejects.toThrow(
    '16 calls are already running',
  );
  for (const call of calls) await expect(call).rejects.toThrow('Timed out after 0.05 s.');
  expect(phones.idleMs).toBeLessThan(60_000);
  expect(phones.isInUse).toBe(false);
});
