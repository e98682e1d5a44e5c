import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AdmitCommand, UserRow } from '../../src/store/accounts/user-store.ts';
import { ALL_ROWS } from '../../src/store/entities.ts';
import { type Account, MINUTE, type World } from './world.ts';

const all = { page: 1, pageSize: 100 };
const HOUR = 60 * MINUTE;

export function userTests(world: World): void {
  const command = (more: Partial<AdmitCommand['identity']> = {}, access?: object | null): AdmitCommand => ({
    identity: {
      issuer: 'https://id.example',
      subject: 'ada',
      name: 'Ada',
      email: 'ada@example.com',
      ...more,
    },
    access:
      access === null
        ? null
        : { account: { name: 'qa', quotaMinutes: 60, maxSessions: null }, role: 'user', ...access },
    ticket: { hash: randomUUID(), validForMs: MINUTE },
  });
  const inAccount = (name: string) => ({ account: { name, quotaMinutes: null, maxSessions: null } });

  const admit = async (wanted: AdmitCommand = command()): Promise<UserRow> => {
    const outcome = await world.store.admitUser(wanted);
    if (!outcome.ok) throw new Error(`sign-in rejected: ${outcome.why}`);
    return outcome.user;
  };
  const claim = (ticketHash: string, hash: string = randomUUID(), maxKeys = 10) =>
    world.store.claimKey({
      ticketHash,
      key: { name: 'Console', hash, prefix: 'pb_1', validForMs: 12 * HOUR },
      maxKeys,
    });

  /** Signs a user in. Returns the key in the form that the helpers use to borrow phones. */
  const signIn = async (wanted: AdmitCommand = command(), maxKeys?: number) => {
    const user = await admit(wanted);
    const hash = randomUUID();
    const key = (await claim(wanted.ticket.hash, hash, maxKeys))!;
    const account: Account = { accountId: user.accountId, keyId: key.id, name: user.accountName, hash };
    return { user, key, account };
  };

  const createKey = ({ accountId, keyId }: Account, user: UserRow) =>
    world.store.createKey({
      key: {
        ...{ accountId, name: 'ci', role: 'user', hash: randomUUID(), prefix: 'pb_2', validForMs: null },
        creator: { userId: user.id, keyId },
      },
      by: accountId,
      createdWith: null,
      maxKeys: 2,
      idempotency: null,
    });

  describe('signing in', () => {
    test('creates the user, their account and an expiring key', async () => {
      const { user, key, account } = await signIn();
      expect(user).toMatchObject({ name: 'Ada', accountName: 'qa', role: 'user', lastSignInAt: null });
      expect(key).toMatchObject({ role: 'user', accountName: 'qa', signedIn: true });
      expect(key.user).toEqual({ id: user.id, name: 'Ada' });
      expect(key.expiresAt! - key.createdAt).toBe(12 * HOUR);
      expect(await world.store.authenticate(account.hash)).toEqual({
        ...{ keyId: key.id, accountId: user.accountId, accountName: 'qa', role: 'user', userId: user.id },
        limitKeyId: key.id,
      });
      expect((await world.store.listAccounts(ALL_ROWS)).items).toMatchObject([
        { name: 'qa', quotaMinutes: 60 },
      ]);
      world.travel(12 * HOUR + 1);
      expect(await world.store.authenticate(account.hash)).toBeNull();
    });

    test('updates an existing user and keeps their keys', async () => {
      const first = await signIn();
      world.travel(1_000);
      const again = await signIn(command({ name: 'Ada L.', email: null }));
      expect(again.user).toMatchObject({ id: first.user.id, name: 'Ada L.', email: null });
      expect(await world.store.getUser(first.user.id)).toMatchObject({ lastSignInAt: expect.any(Number) });
      expect(await world.store.authenticate(first.account.hash)).not.toBeNull();
      const other = await signIn(command({ issuer: 'https://other.example' }));
      expect(other.user.id).not.toBe(first.user.id);
      expect(await world.store.listUsers({ ...all })).toMatchObject({
        total: 2,
        items: [{ name: 'Ada' }, { name: 'Ada L.' }],
      });
    });

    test('creates one user for two concurrent sign-ins', async () => {
      const users = await Promise.all([admit(), admit(), admit()]);
      expect(new Set(users.map(({ id }) => id)).size).toBe(1);
      expect((await world.store.listUsers(all)).total).toBe(1);
    });

    test('issues a ticket that is valid once and briefly', async () => {
      const wanted = command();
      await admit(wanted);
      const both = await Promise.all([claim(wanted.ticket.hash), claim(wanted.ticket.hash)]);
      expect(both.filter((key) => key !== null)).toHaveLength(1);
      expect(await claim('unknown')).toBeNull();
      const late = command();
      await admit(late);
      world.travel(MINUTE + 1);
      expect(await claim(late.ticket.hash)).toBeNull();
    });

    test('expires the oldest key above the limit of sign-ins per user, without ending a session', async () => {
      const first = await signIn(command(), 2);
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(first.account, 'd1');
      world.travel(10);
      const second = await signIn(command(), 2);
      world.travel(10);
      await signIn(command(), 2);
      expect(await world.store.authenticate(first.account.hash)).toBeNull();
      expect(await world.store.authenticate(second.account.hash)).not.toBeNull();
      expect(await world.store.getSession(session.id)).toMatchObject({ status: 'connecting' });
    });

    test('ends on sign-out, and sessions continue', async () => {
      const { key, account } = await signIn();
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      expect(await world.store.endSignIn(key.id)).toBe(true);
      expect(await world.store.authenticate(account.hash)).toBeNull();
      expect(await world.store.getSession(session.id)).toMatchObject({ status: 'connecting' });
      const made = await world.account();
      expect(await world.store.endSignIn(made.keyId)).toBe(false);
      expect(await world.store.authenticate(made.hash)).not.toBeNull();
    });

    test('is possible with a key, whose limits apply to the browser session', async () => {
      const { keyId, accountId } = await world.account();
      const open = (parent: string, hash: string = randomUUID(), maxSessions = 2) =>
        world.store.openBrowserSession({
          keyId: parent,
          session: { hash, prefix: 'pb_3', validForMs: 12 * HOUR },
          maxSessions,
        });
      const hashes = [randomUUID(), randomUUID(), randomUUID()];
      const first = (await open(keyId, hashes[0]))!;
      expect(first).toMatchObject({ accountId, signedIn: true });
      expect(first.expiresAt! - first.createdAt).toBe(12 * HOUR);
      const createdWith = { keyId: first.id, maxLifetimeMs: HOUR };
      expect(await world.store.getLongestKeyLifetime(createdWith)).toBeNull();
      expect(await open(first.id)).toBeNull();
      expect(await world.store.authenticate(hashes[0]!)).toMatchObject({ limitKeyId: keyId });
      world.travel(10);
      await open(keyId, hashes[1]);
      world.travel(10);
      await open(keyId, hashes[2]);
      expect(await world.store.authenticate(hashes[0]!)).toBeNull();
      const second = (await world.store.authenticate(hashes[1]!))!;
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession({ accountId, keyId: second.keyId, name: '', hash: '' }, 'd1');
      const { ended } = (await world.store.revokeKey(keyId))!;
      expect(ended.map(({ id }) => id)).toEqual([session.id]);
      for (const hash of hashes) expect(await world.store.authenticate(hash)).toBeNull();
      expect(await open(keyId)).toBeNull();
    });

    test('gives a browser session no more time than its key has, and no right to longer keys', async () => {
      const account = await world.account();
      const made = await world.store.createKey({
        key: {
          ...{ accountId: account.accountId, name: 'guest', role: 'viewer', hash: randomUUID() },
          ...{ prefix: 'pb_4', validForMs: HOUR, creator: null },
        },
        ...{ by: account.accountId, createdWith: null, maxKeys: null, idempotency: null },
      });
      if (!made.ok) throw new Error(`the key was refused: ${made.refusal.why}`);
      const session = { hash: randomUUID(), prefix: 'pb_3', validForMs: 12 * HOUR };
      const opened = await world.store.openBrowserSession({
        ...{ keyId: made.created.id, session, maxSessions: 2 },
      });
      expect(opened).toMatchObject({ name: 'guest', role: 'viewer', expiresAt: made.created.expiresAt });
      const longest = await world.store.getLongestKeyLifetime({
        keyId: opened!.id,
        maxLifetimeMs: 90 * HOUR,
      });
      expect(longest).toBeLessThanOrEqual(HOUR);
    });

    test('is rejected for a disabled account', async () => {
      const { user } = await signIn();
      await world.store.updateAccount({ accountId: user.accountId, disabled: true });
      expect(await world.store.admitUser(command())).toMatchObject({ ok: false, why: 'account-disabled' });
    });
  });

  describe('changes at the identity provider', () => {
    test('revoke keys of another account and end their sessions', async () => {
      const { user, account } = await signIn();
      world.travel(1_000);
      const made = await createKey(account, user);
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      const outcome = await world.store.admitUser(command({}, inAccount('lab')));
      expect(outcome).toMatchObject({ ok: true, user: { id: user.id, accountName: 'lab' } });
      expect(outcome.ended).toMatchObject([{ id: session.id, endReason: 'admin' }]);
      expect(await world.store.authenticate(account.hash)).toBeNull();
      expect(made).toMatchObject({ ok: true });
      const { accountId } = user;
      const revoked = (await world.store.listKeys({ accountId, ...all }))!.items;
      expect(revoked).toMatchObject([{ name: 'ci', revokedAt: expect.any(Number) }]);
      const everyKey = { total: 2, items: [{ id: account.keyId, signedIn: true }, { name: 'ci' }] };
      expect(await world.store.listFleetKeys({ accountId, ...all })).toMatchObject(everyKey);
    });

    test('revoke keys with a higher role and keep the others', async () => {
      const admin = await signIn(command({}, { role: 'admin' }));
      const made = await createKey(admin.account, admin.user);
      await signIn(command({}, { role: 'user' }));
      expect(await world.store.authenticate(admin.account.hash)).toBeNull();
      if (!made.ok) throw new Error('no key was created');
      expect(await world.store.getKey(made.created.id)).toMatchObject({ role: 'user', revokedAt: null });
    });

    test('revoke all keys if the user has no role any more', async () => {
      expect(await world.store.admitUser(command({}, null))).toEqual({
        ...{ ok: false, why: 'no-access', user: null, ended: [] },
      });
      const { user, account } = await signIn();
      const refused = await world.store.admitUser(command({}, null));
      expect(refused).toMatchObject({ ok: false, why: 'no-access', user: { id: user.id } });
      expect(await world.store.authenticate(account.hash)).toBeNull();
    });
  });

  describe('a disabled user', () => {
    test('has no keys and no sessions, and cannot sign in until they are enabled', async () => {
      const { user, account } = await signIn();
      const other = await signIn(command({ subject: 'bob', name: 'Bob' }));
      const made = await createKey(account, user);
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      const session = await world.startSession(account, 'd1');
      const theirs = await world.startSession(other.account, 'd2');
      const waiting = command();
      await admit(waiting);
      const disabled = await world.store.updateUser({ userId: user.id, disabled: true });
      expect(disabled!.user).toMatchObject({ disabledAt: expect.any(Number) });
      expect(disabled!.ended).toMatchObject([
        { id: session.id, endReason: 'admin', endDetail: 'its user was disabled' },
      ]);
      if (!made.ok) throw new Error('no key was created');
      expect(await world.store.validGrants([account.keyId, made.created.id, other.account.keyId])).toEqual([
        other.account.keyId,
      ]);
      expect(await world.store.getSession(theirs.id)).toMatchObject({ status: 'connecting' });
      expect(await claim(waiting.ticket.hash)).toBeNull();
      expect(await world.store.admitUser(command())).toMatchObject({ ok: false, why: 'user-disabled' });
      expect(await createKey(account, user)).toEqual({ ok: false, refusal: { why: 'key-invalid' } });
      world.travel(MINUTE);
      expect(await world.store.updateUser({ userId: user.id, disabled: true })).toEqual({
        ...{ user: disabled!.user, ended: [] },
      });
      const enabled = await world.store.updateUser({ userId: user.id, disabled: false });
      expect(enabled).toMatchObject({ user: { disabledAt: null }, ended: [] });
      expect(await world.store.authenticate(account.hash)).toBeNull();
      await signIn();
    });

    test('also loses sessions that were created with a key that has expired since', async () => {
      const { user, key, account } = await signIn();
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      await world.store.endSignIn(key.id);
      const disabled = await world.store.updateUser({ userId: user.id, disabled: true });
      expect(disabled!.ended.map(({ id }) => id)).toEqual([session.id]);
    });

    test('is answered as not found if there is no such user', async () => {
      expect(await world.store.updateUser({ userId: 'user_none', disabled: true })).toBeNull();
      expect(await world.store.getUser('user_none')).toBeNull();
    });

    test('cannot create a key concurrently that outlives the disabling', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { user, account } = await signIn(command({ subject: `user-${round}` }));
        const [made] = await Promise.all([
          createKey(account, user),
          world.store.updateUser({ userId: user.id, disabled: true }),
        ]);
        if (made.ok) expect(await world.store.validGrants([made.created.id])).toEqual([]);
      }
    });
  });

  test('disabling a user or revoking a key during a connect leaves no live session', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { user, key, account } = await signIn(command({ subject: `user-${round}` }));
      const phones = Array.from({ length: 8 }, (_, at) => ({ id: `r${round}-${at}` }));
      await world.report(phones, { hostId: `host-${round}` });
      const connects = phones.map(({ id }) => world.connect(account, id));
      const ending =
        round % 2 === 0
          ? world.store.updateUser({ userId: user.id, disabled: true })
          : world.store.revokeKey(key.id);
      await Promise.all([...connects, ending]);
      const { accountId } = account;
      for (const status of ['connecting', 'connected'] as const)
        expect((await world.store.listSessions({ accountId, status, ...all })).total).toBe(0);
    }
  });

  describe('users are shown', () => {
    test('in lists of keys, which omit and do not count expired sign-ins', async () => {
      const first = await signIn();
      const { accountId } = first.user;
      const made = await createKey(first.account, first.user);
      if (!made.ok) throw new Error('no key was created');
      expect(made.created).toMatchObject({ signedIn: false, user: { name: 'Ada' } });
      const ids = async () =>
        (await world.store.listKeys({ accountId, ...all }))!.items.map(({ id }) => id).sort();
      expect(await ids()).toEqual([first.key.id, made.created.id].sort());
      await world.store.endSignIn(first.key.id);
      world.travel(1);
      expect(await ids()).toEqual([made.created.id]);
      await signIn();
      await signIn();
      const second = await createKey((await signIn()).account, first.user);
      expect(second).toMatchObject({ ok: true });
    });

    test('per account', async () => {
      const ada = await admit();
      await admit(command({ subject: 'bob', name: 'Bob' }, inAccount('lab')));
      const page = await world.store.listUsers({ accountId: ada.accountId, ...all });
      expect(page).toMatchObject({ total: 1, items: [{ name: 'Ada', accountName: 'qa' }] });
      expect(await world.store.listUsers({ page: 2, pageSize: 1 })).toMatchObject({
        ...{ total: 2, items: [{ name: 'Bob' }] },
      });
    });

    test('in the operators’ lists of devices, sessions and audit entries', async () => {
      const { user, account } = await signIn();
      const nobody = await world.account();
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      await world.startSession(account, 'd1');
      await world.startSession(nobody, 'd2');
      const who = { id: user.id, name: 'Ada' };
      expect((await world.store.getFleetDevice('d1'))!.session).toMatchObject({ user: who });
      expect((await world.store.getFleetDevice('d2'))!.session).toMatchObject({ user: null });
      const sessions = await world.store.listFleetSessions(all);
      expect(Object.fromEntries(sessions.items.map((row) => [row.deviceId, row.user]))).toEqual({
        ...{ d1: who, d2: null },
      });
      const note = { action: 'devices.connect', address: null, code: 0, count: 1, targets: [], agoMs: 0 };
      await world.store.addAudit([
        { ...note, accountId: account.accountId, keyId: account.keyId },
        { ...note, accountId: nobody.accountId, keyId: nobody.keyId },
      ]);
      const { items } = await world.store.listAudit(all);
      expect(items.map((row) => row.user)).toEqual(expect.arrayContaining([who, null]));
    });
  });
}
