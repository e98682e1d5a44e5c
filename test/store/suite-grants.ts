import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SessionRow } from '../../src/store/entities.ts';
import { newKey } from '../fixtures/accounts.ts';
import { type Account, MINUTE, type World } from './world.ts';

const all = { page: 1, pageSize: 100 };

export function grantTests(world: World): void {
  const startSession = async (account: Account, deviceId = 'd1', more: object = {}) => {
    await world.report([{ id: deviceId }], { hostId: `host-${deviceId}` });
    return world.startSession(account, deviceId, more);
  };
  const create = (session: SessionRow, { accountId, keyId }: Account, more: object = {}) =>
    world.store.createWatchLink({
      ...{ sessionId: session.id, accountId, keyId, maxLinks: 100, idempotency: null },
      subject: { shows: 'screen' as const },
      ...more,
    });
  const created = async (session: SessionRow, account: Account) => {
    const outcome = await create(session, account);
    if (!outcome?.ok) throw new Error('no watch link was created');
    return outcome.link;
  };
  const isValid = async (id: string) => (await world.store.validGrants([id])).includes(id);

  describe('grants', () => {
    test('are valid keys and watch links only', async () => {
      const account = await world.account();
      const session = await startSession(account);
      const link = await created(session, account);
      const ids = [account.keyId, link.id, session.id, account.accountId, 'key_none', ''];
      expect((await world.store.validGrants(ids)).sort()).toEqual([account.keyId, link.id].sort());
      expect(await world.store.validGrants([])).toEqual([]);
    });

    test('of a key end when it is revoked or expires or its account is disabled', async () => {
      const [revoked, disabled, kept] = [await world.account(), await world.account(), await world.account()];
      const expiring = await newKey(world.store, kept.accountId, { validForMs: MINUTE });
      const ids = [revoked.keyId, disabled.keyId, kept.keyId, expiring.id];
      expect((await world.store.validGrants(ids)).sort()).toEqual(ids.toSorted());
      await world.store.revokeKey(revoked.keyId);
      await world.store.updateAccount({ accountId: disabled.accountId, disabled: true });
      world.travel(2 * MINUTE);
      expect(await world.store.validGrants(ids)).toEqual([kept.keyId]);
    });

    test('of a watch link end when the key that created it is revoked, but not when that key expires', async () => {
      const owner = await world.account();
      const other = await newKey(world.store, owner.accountId, { validForMs: MINUTE });
      const session = await startSession(owner);
      const link = await created(session, { ...owner, keyId: other.id });
      world.travel(2 * MINUTE);
      expect(await world.store.validGrants([other.id, link.id])).toEqual([link.id]);
      await world.store.revokeKey(other.id);
      expect(await isValid(link.id)).toBe(false);
      // The session was created with another key, so it continues
      expect(await world.store.getSession(session.id)).toMatchObject({ status: 'connecting' });
    });

    test('of a watch link end when its account is disabled', async () => {
      const account = await world.account();
      const link = await created(await startSession(account), account);
      await world.store.updateAccount({ accountId: account.accountId, disabled: true });
      expect(await isValid(link.id)).toBe(false);
    });
  });

  describe('the lifetime of keys', () => {
    const HOUR = 60 * MINUTE;
    const DAY = 24 * HOUR;
    const make = async (account: Account, keyId: string, validForMs: number | null) =>
      world.store.createKey({
        key: {
          ...{ accountId: account.accountId, name: 'made', role: 'user', hash: randomUUID(), prefix: 'pb_' },
          ...{ validForMs, creator: null },
        },
        createdWith: { keyId, maxLifetimeMs: 90 * DAY },
        ...{ by: account.accountId, maxKeys: 100, idempotency: null },
      });
    const signIn = async (account: Account) => {
      const ticket = { hash: randomUUID(), validForMs: MINUTE };
      const outcome = await world.store.admitUser({
        identity: { issuer: 'https://id.example', subject: 'ada', name: 'Ada', email: null },
        access: { account: { name: account.name, quotaMinutes: null, maxSessions: null }, role: 'user' },
        ticket,
      });
      if (!outcome.ok) throw new Error('the user was not admitted');
      const key = { name: 'Console', hash: randomUUID(), prefix: 'pb_', validForMs: 12 * HOUR };
      return (await world.store.claimKey({ ticketHash: ticket.hash, key, maxKeys: 10 }))!.id;
    };

    test('a sign-in key creates keys of a limited lifetime, which in turn create none that outlive them', async () => {
      const account = await world.account();
      const signedIn = await signIn(account);
      const refused = { ok: false, refusal: { why: 'outlives-creator', maxValidForMs: 90 * DAY } };
      const longest = (keyId: string) =>
        world.store.getLongestKeyLifetime({ keyId, maxLifetimeMs: 90 * DAY });
      expect(await longest(signedIn)).toBe(90 * DAY);
      expect(await longest(account.keyId)).toBeNull();
      expect(await make(account, signedIn, null)).toEqual(refused);
      expect(await make(account, signedIn, 90 * DAY + 1)).toEqual(refused);
      const made = await make(account, signedIn, 90 * DAY);
      if (!made.ok) throw new Error('no key was created');
      world.travel(30 * DAY);
      expect(await longest(made.created.id)).toBeLessThanOrEqual(60 * DAY);
      expect(await longest(made.created.id)).toBeGreaterThan(59 * DAY);
      expect(await make(account, made.created.id, 61 * DAY)).toMatchObject({ ok: false });
      expect(await make(account, made.created.id, null)).toMatchObject({ ok: false });
      expect(await make(account, made.created.id, 59 * DAY)).toMatchObject({ ok: true });
    });

    test('a key without expiry creates keys of any lifetime, and a revoked key none', async () => {
      const account = await world.account();
      expect(await make(account, account.keyId, null)).toMatchObject({ ok: true });
      await world.store.revokeKey(account.keyId);
      expect(await make(account, account.keyId, DAY)).toMatchObject({
        ...{ ok: false, refusal: { why: 'outlives-creator', maxValidForMs: 0 } },
      });
      const createdWith = { keyId: account.keyId, maxLifetimeMs: 90 * DAY };
      expect(await world.store.getLongestKeyLifetime(createdWith)).toBe(0);
    });

    test('keys are deleted some time after they are revoked or expire, and no others are', async () => {
      const account = await world.account();
      const other = await make(account, account.keyId, null);
      const expiring = await make(account, account.keyId, DAY);
      const kept = await make(account, account.keyId, 100 * DAY);
      if (!other.ok || !expiring.ok || !kept.ok) throw new Error('no key was created');
      const borrower = { ...account, keyId: other.created.id };
      const session = await startSession(borrower);
      await world.store.revokeKey(other.created.id);
      world.travel(30 * DAY + HOUR);
      const old = { olderThanMs: 30 * DAY, limit: 10 };
      expect(await world.store.sweepKeys(old)).toBe(1);
      world.travel(DAY);
      expect(await world.store.sweepKeys(old)).toBe(1);
      expect(await world.store.sweepKeys(old)).toBe(0);
      const ids = [account.keyId, kept.created.id];
      const page = await world.store.listKeys({ accountId: account.accountId, ...all });
      expect(page).toMatchObject({ total: 2 });
      expect(page!.items.map(({ id }) => id).sort()).toEqual(ids.toSorted());
      const { items } = await world.store.listFleetKeys({ accountId: account.accountId, ...all });
      expect(items.map(({ id }) => id).sort()).toEqual(ids.toSorted());
      for (const gone of [other, expiring]) expect(await world.store.getKey(gone.created.id)).toBeNull();
      // A session that refers to a deleted key is unchanged
      expect(await world.store.getSession(session.id)).toMatchObject({ keyId: other.created.id });
      expect(
        await world.query('select id, name, prefix, last_used_from from keys where deleted_at is not null'),
      ).toEqual([{ id: other.created.id, name: '', prefix: '', last_used_from: null }]);
    });
  });

  describe('watch links', () => {
    test('are created, listed newest first and revoked once without ending the session', async () => {
      const account = await world.account();
      const session = await startSession(account);
      const first = await created(session, account);
      world.travel(1_000);
      const second = await created(session, account);
      expect(first).toEqual({
        ...{ id: expect.stringMatching(/^watch_/), sessionId: session.id, user: null },
        ...{ createdBy: { id: account.keyId, name: 'test' }, createdAt: expect.any(Number), revokedAt: null },
        ...{ shows: 'screen', expiresAt: null },
      });
      const query = { sessionId: session.id, accountId: account.accountId, ...all };
      expect(await world.store.listWatchLinks(query)).toMatchObject({ total: 2, items: [second, first] });
      expect(await world.store.listWatchLinks({ ...query, page: 2, pageSize: 1 })).toMatchObject({
        ...{ total: 2, items: [first] },
      });

      const command = { linkId: first.id, sessionId: session.id, accountId: account.accountId };
      const revoked = await world.store.revokeWatchLink(command);
      expect(revoked).toEqual({ ...first, revokedAt: expect.any(Number) });
      world.travel(1_000);
      expect(await world.store.revokeWatchLink(command)).toEqual(revoked);
      expect(await world.store.validGrants([first.id, second.id])).toEqual([second.id]);
      expect(await world.store.getSession(session.id)).toMatchObject({ status: 'connecting' });
    });

    test('to a recording outlive the session and expire', async () => {
      const account = await world.account();
      const session = await startSession(account, 'd1', { record: true });
      const subject = { shows: 'recording' as const, validForMs: 60_000 };
      await world.store.end({ sessionId: session.id, reason: 'client' });
      const outcome = await create(session, account, { subject });
      if (!outcome?.ok) throw new Error('no link was created');
      const { link } = outcome;
      expect(link).toMatchObject({ shows: 'recording', expiresAt: link.createdAt + 60_000 });
      expect(await world.store.getWatchLink({ linkId: link.id, sessionId: session.id })).toEqual(link);
      expect(await isValid(link.id)).toBe(true);
      world.travel(60_000);
      expect(await isValid(link.id)).toBe(false);
      const unrecorded = await startSession(account, 'd2');
      expect(await create(unrecorded, account, { subject })).toEqual({
        ...{ ok: false, refusal: { why: 'not-recorded' } },
      });
    });

    test('are not found for another account, session or id', async () => {
      const [account, other] = [await world.account(), await world.account()];
      const [session, elsewhere] = [await startSession(account, 'd1'), await startSession(account, 'd2')];
      const link = await created(session, account);
      const mine = { linkId: link.id, sessionId: session.id, accountId: account.accountId };
      expect(await create(session, other)).toBeNull();
      expect(await create({ ...session, id: 'ses_none' }, account)).toBeNull();
      for (const wrong of [
        { accountId: other.accountId },
        { sessionId: elsewhere.id },
        { sessionId: 'ses_none' },
        { linkId: 'watch_none' },
      ])
        expect(await world.store.revokeWatchLink({ ...mine, ...wrong })).toBeNull();
      expect(
        await world.store.listWatchLinks({ sessionId: session.id, accountId: other.accountId, ...all }),
      ).toBeNull();
      expect(await isValid(link.id)).toBe(true);
    });

    test('are not created with a revoked key, for a session that has ended, or above the limit', async () => {
      const account = await world.account();
      const session = await startSession(account);
      const link = await created(session, account);
      const { accountId } = account;
      await world.store.revokeWatchLink({ linkId: link.id, sessionId: session.id, accountId });
      // Revoked links count, so that repeated creation and revocation cannot fill the table
      expect(await create(session, account, { maxLinks: 1 })).toMatchObject({
        refusal: { why: 'quota', shortfall: { kind: 'watch_links', limit: 1, used: 1 } },
      });
      await world.store.end({ sessionId: session.id, reason: 'client' });
      expect(await create(session, account)).toEqual({ ok: false, refusal: { why: 'ended' } });
      await world.store.revokeKey(account.keyId);
      expect(await create(session, account)).toEqual({ ok: false, refusal: { why: 'key-invalid' } });
    });

    test('cannot exceed the limit when created concurrently', async () => {
      const account = await world.account();
      const session = await startSession(account);
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () => create(session, account, { maxLinks: 3 })),
      );
      expect(outcomes.filter((outcome) => outcome?.ok)).toHaveLength(3);
    });

    test('are returned for a replayed idempotency key, which conflicts with another request', async () => {
      const account = await world.account();
      const session = await startSession(account);
      const repeated = { idempotency: { key: 'once', fingerprint: 'a' } };
      const outcomes = await Promise.all([
        create(session, account, repeated),
        create(session, account, repeated),
      ]);
      const [first, second] = outcomes.map((outcome) => (outcome?.ok ? outcome.link : null));
      expect(first).not.toBeNull();
      expect(second).toEqual(first);
      expect(await create(session, account, { idempotency: { key: 'once', fingerprint: 'b' } })).toEqual({
        ...{ ok: false, refusal: { why: 'idempotency-conflict' } },
      });
    });
  });
}
