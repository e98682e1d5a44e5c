import { describe, expect, test } from 'vitest';
import type { CreateKeyCommand } from '../../src/store/accounts/account-store.ts';
import { type Account, MINUTE, type World } from './world.ts';

const DAY = 1440 * MINUTE;
const all = { page: 1, pageSize: 100 };

export function adminAccountTests(world: World): void {
  const keyOf = ({ accountId }: Account, more: Partial<CreateKeyCommand> = {}): CreateKeyCommand => ({
    key: {
      accountId,
      name: 'ci',
      role: 'user',
      hash: crypto.randomUUID(),
      prefix: 'pb_ci',
      validForMs: null,
      creator: null,
    },
    by: accountId,
    createdWith: null,
    maxKeys: 10,
    idempotency: null,
    ...more,
  });
  const make = async (account: Account, more?: Partial<CreateKeyCommand>) => {
    const outcome = await world.store.createKey(keyOf(account, more));
    if (!outcome.ok) throw new Error(`no key was created: ${outcome.refusal.why}`);
    return outcome;
  };

  describe('keys of an account', () => {
    test('are created, found and listed newest first in pages', async () => {
      const account = await world.account();
      const other = await world.account();
      world.travel(1_000);
      const { created: made } = await make(account);
      expect(made).toMatchObject({ accountId: account.accountId, name: 'ci', role: 'user', expiresAt: null });
      expect(await world.store.getKey(made.id)).toEqual(made);
      expect(await world.store.getKey('key_unknown')).toBeNull();
      const list = (accountId: string, page = 1) => world.store.listKeys({ accountId, page, pageSize: 1 });
      expect(await list(account.accountId)).toMatchObject({ total: 2, items: [{ id: made.id }] });
      expect(await list(account.accountId, 2)).toMatchObject({ total: 2, items: [{ id: account.keyId }] });
      expect(await list(account.accountId, 3)).toMatchObject({ total: 2, items: [] });
      expect(await list(other.accountId)).toMatchObject({ total: 1, items: [{ id: other.keyId }] });
      expect(await list('acc_unknown')).toBeNull();
    });

    test('are listed for operators oldest first in pages, of one account or of all accounts', async () => {
      const account = await world.account();
      world.travel(1_000);
      const other = await world.account();
      world.travel(1_000);
      const { created: made } = await make(account);
      await world.store.revokeKey(made.id);
      const list = async (query: object = {}) => {
        const { total, items } = await world.store.listFleetKeys({ ...all, ...query });
        return { total, ids: items.map(({ id }) => id) };
      };
      expect(await list()).toEqual({ total: 3, ids: [account.keyId, other.keyId, made.id] });
      expect(await list({ page: 2, pageSize: 2 })).toEqual({ total: 3, ids: [made.id] });
      const { accountId } = account;
      expect(await list({ accountId })).toEqual({ total: 2, ids: [account.keyId, made.id] });
      expect(await list({ accountId: 'acc_unknown' })).toEqual({ total: 0, ids: [] });
    });

    test('are not created for an unknown account', async () => {
      const nobody = { ...(await world.account()), accountId: 'acc_unknown' };
      expect(await world.store.createKey(keyOf(nobody))).toEqual({
        ok: false,
        refusal: { why: 'no-such-account' },
      });
    });

    test('expire by the store’s clock, and their number is limited while they are valid', async () => {
      const account = await world.account();
      const short = keyOf(account, { maxKeys: 2 });
      short.key.validForMs = MINUTE;
      const outcome = await world.store.createKey(short);
      const { created: made } = outcome as Extract<typeof outcome, { ok: true }>;
      expect(made.expiresAt! - made.createdAt).toBe(MINUTE);
      const refused = await world.store.createKey(keyOf(account, { maxKeys: 2 }));
      expect(refused).toMatchObject({
        refusal: { why: 'quota', shortfall: { kind: 'keys', limit: 2, used: 2 } },
      });
      world.travel(MINUTE + 1);
      await make(account, { maxKeys: 2 });
      await world.store.revokeKey(account.keyId);
      await make(account, { maxKeys: 2 });
      expect(await world.store.createKey(keyOf(account, { maxKeys: 2 }))).toMatchObject({ ok: false });
      await make(account, { maxKeys: null });
    });

    test('are returned by a replayed request, but not for another request with the same idempotency key', async () => {
      const account = await world.account();
      const idempotency = { key: 'once', fingerprint: 'f1' };
      const [first, again] = await Promise.all([
        make(account, { idempotency }),
        make(account, { idempotency }),
      ]);
      expect([first.replayed, again.replayed].sort()).toEqual([false, true]);
      expect(again.created).toEqual(first.created);
      expect(
        await world.store.createKey(keyOf(account, { idempotency: { key: 'once', fingerprint: 'f2' } })),
      ).toEqual({ ok: false, refusal: { why: 'idempotency-conflict' } });
      await world.report([{ id: 'd1' }]);
      const connecting = { idempotency: { key: 'once', fingerprint: 'f3' } };
      expect(await world.connect(account, 'd1', connecting)).toEqual({
        ok: false,
        refusal: { why: 'idempotency-conflict' },
      });
    });

    test('record the time and the address of their use once per minute', async () => {
      const account = await world.account();
      const note = (address: string) => world.store.recordKeyUse({ keyId: account.keyId, address });
      const read = async () => {
        const { lastUsedAt, lastUsedFrom } = (await world.store.getKey(account.keyId))!;
        return { lastUsedAt, lastUsedFrom };
      };
      expect(await read()).toEqual({ lastUsedAt: null, lastUsedFrom: null });
      await note('192.0.2.1');
      const first = await read();
      expect(first).toEqual({ lastUsedAt: expect.any(Number), lastUsedFrom: '192.0.2.1' });
      world.travel(30_000);
      await note('192.0.2.2');
      expect(await read()).toEqual(first);
      world.travel(31_000);
      await note('192.0.2.2');
      const second = await read();
      expect(second.lastUsedFrom).toBe('192.0.2.2');
      expect(second.lastUsedAt! - first.lastUsedAt!).toBeGreaterThanOrEqual(60_000);
    });
  });

  describe('accounts', () => {
    test('are created once and listed by name with their usage', async () => {
      const by = await world.account({ name: 'ops' });
      const idempotency = { key: 'once', fingerprint: 'f1' };
      const account = { name: 'alpha', quotaMinutes: 60, maxSessions: null };
      const made = await world.store.createAccount({ account, by: by.accountId, idempotency });
      expect(made).toMatchObject({
        replayed: false,
        created: { ...account, minutesUsed: 0, liveSessions: 0, disabledAt: null },
      });
      const again = await world.store.createAccount({ account, by: by.accountId, idempotency });
      expect(again).toEqual({ ...made, replayed: true });
      expect(await world.store.createAccount({ account, by: by.accountId, idempotency: null })).toEqual({
        ok: false,
        refusal: { why: 'name-taken' },
      });
      await world.report([{ id: 'd1' }]);
      await world.startSession(by, 'd1', { minutes: 25 });
      const page = await world.store.listAccounts(all);
      expect(page).toMatchObject({
        total: 2,
        items: [
          { name: 'alpha', minutesUsed: 0, liveSessions: 0 },
          { name: 'ops', minutesUsed: 25, liveSessions: 1 },
        ],
      });
      expect((await world.store.listAccounts({ page: 2, pageSize: 1 })).items).toMatchObject([
        { name: 'ops' },
      ]);
    });

    test('change only the given fields', async () => {
      const account = await world.account({ name: 'team', quotaMinutes: 60, maxSessions: 2 });
      await world.account({ name: 'other' });
      const { accountId } = account;
      const change = (more: object) => world.store.updateAccount({ accountId, ...more });
      expect(await change({ maxSessions: null })).toMatchObject({
        account: { name: 'team', quotaMinutes: 60, maxSessions: null },
        ended: [],
      });
      expect(await change({ quotaMinutes: 0 })).toMatchObject({ account: { quotaMinutes: 0 } });
      expect(await change({ name: 'other' })).toBe('name-taken');
      expect(await change({ name: 'team' })).toMatchObject({ account: { name: 'team' } });
      expect(await change({ name: 'renamed' })).toMatchObject({
        account: { name: 'renamed', quotaMinutes: 0 },
      });
      expect(await world.store.authenticate(account.hash)).toMatchObject({ accountName: 'renamed' });
      expect(await world.store.updateAccount({ accountId: 'acc_unknown', name: 'x' })).toBeNull();
    });

    test('that are disabled have no valid keys and no live sessions until they are enabled', async () => {
      const account = await world.account();
      const other = await world.account();
      await world.report([{ id: 'd1' }, { id: 'd2' }, { id: 'd3' }]);
      const mine = [await world.startSession(account, 'd1'), await world.startSession(account, 'd2')].map(
        ({ id }) => id,
      );
      const theirs = await world.startSession(other, 'd3');
      const disabled = await world.store.updateAccount({ accountId: account.accountId, disabled: true });
      if (disabled === null || disabled === 'name-taken') throw new Error('the account was not disabled');
      expect(disabled.account).toMatchObject({
        disabledAt: expect.any(Number),
        liveSessions: 0,
        minutesUsed: 0,
      });
      expect(disabled.ended.map(({ id }) => id).sort()).toEqual(mine.sort());
      expect(disabled.ended[0]).toMatchObject({ endReason: 'admin', endDetail: 'its account was disabled' });
      expect(await world.store.authenticate(account.hash)).toBeNull();
      expect(await world.store.getSession(theirs.id)).toMatchObject({ status: 'connecting' });
      world.travel(MINUTE);
      const again = await world.store.updateAccount({ accountId: account.accountId, disabled: true });
      expect(again).toEqual({ ...disabled, ended: [] });
      await world.store.updateAccount({ accountId: account.accountId, disabled: false });
      expect(await world.store.authenticate(account.hash)).not.toBeNull();
    });

    test('cannot connect if the key is revoked after authentication', async () => {
      await world.report([{ id: 'd1' }]);
      const refused = { ok: false, refusal: { why: 'key-invalid' } };
      const revoked = await world.account();
      await world.store.revokeKey(revoked.keyId);
      const disabled = await world.account();
      await world.store.updateAccount({ accountId: disabled.accountId, disabled: true });
      for (const account of [revoked, disabled]) {
        expect(await world.connect(account, 'd1')).toEqual(refused);
        const idempotency = { key: 'k', fingerprint: 'f' };
        expect(await world.connect(account, 'd1', { idempotency })).toEqual(refused);
      }
      await world.startSession(await world.account(), 'd1');
    });

    test('have no live session after they are disabled during a connect', async () => {
      for (let round = 0; round < 10; round += 1) {
        const account = await world.account();
        const phones = Array.from({ length: 8 }, (_, at) => ({ id: `r${round}-${at}` }));
        await world.report(phones, { hostId: `host-${round}` });
        const connects = phones.map(({ id }) => world.connect(account, id));
        const disabling = world.store.updateAccount({ accountId: account.accountId, disabled: true });
        await Promise.all([...connects, disabling]);
        const { accountId } = account;
        for (const status of ['connecting', 'connected'] as const) {
          expect((await world.store.listSessions({ accountId, status, ...all })).total).toBe(0);
        }
      }
    });
  });

  describe('usage by day', () => {
    test('counts sessions on the day they were created and lists every day of the month in order', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }, { id: 'd2' }, { id: 'd3' }]);
      const { startsIn, month, days } = nextMonth(world.now());
      world.travel(startsIn);
      const one = await world.startSession(account, 'd1', { minutes: 10 });
      await world.bringUp(one);
      world.travel(3.5 * MINUTE);
      await world.store.end({ sessionId: one.id, reason: 'client' });
      world.travel(DAY);
      await world.startSession(account, 'd2', { minutes: 15 });
      await world.startSession(await world.account(), 'd3', { minutes: 99 });
      const usage = await world.store.listUsageDays(account.accountId);
      expect(usage.month).toBe(month);
      expect(usage.days).toHaveLength(days);
      const used = usage.days.filter(({ sessions }) => sessions > 0);
      expect(used).toEqual([
        { date: `${month}-01`, sessions: 1, minutes: 4, reserved: 0 },
        { date: `${month}-02`, sessions: 1, minutes: 0, reserved: 15 },
      ]);
      expect(usage.days.at(-1)?.date).toBe(`${month}-${days}`);
      const leap = await world.store.listUsageDays(account.accountId, '2028-02');
      expect(leap.days).toHaveLength(29);
      expect(leap.days.every(({ sessions }) => sessions === 0)).toBe(true);
    });
  });
}

/** Returns the next month, its number of days, and the time until one minute after its start, in ms. */
function nextMonth(now: number): { startsIn: number; month: string; days: number } {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  const start = Date.UTC(year, month);
  return {
    startsIn: start - now + MINUTE,
    month: new Date(start).toISOString().slice(0, 7),
    days: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
  };
}
