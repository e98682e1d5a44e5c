import { describe, expect, test } from 'vitest';
import { ALL_ROWS } from '../../src/store/entities.ts';
import { newKey } from '../fixtures/accounts.ts';
import { MINUTE, type World } from './world.ts';

export function accountTests(world: World): void {
  describe('accounts and keys', () => {
    test('reject a name that is already in use', async () => {
      const { store } = world;
      const create = (quotaMinutes: number | null) =>
        store.createAccount({
          account: { name: 'team', quotaMinutes, maxSessions: 2 },
          ...{ by: null, idempotency: null },
        });
      const first = await create(60);
      if (!first.ok) throw new Error('the account was not created');
      expect(first.created).toMatchObject({ name: 'team', quotaMinutes: 60, maxSessions: 2 });
      expect(await create(null)).toEqual({ ok: false, refusal: { why: 'name-taken' } });
      expect(await store.listAccounts(ALL_ROWS)).toMatchObject({ total: 1, items: [first.created] });
      const { minutesUsed: _, liveSessions: __, appBytes: ___, artifactBytes: ____, ...row } = first.created;
      expect(await store.getAccountByName('team')).toEqual(row);
      expect(await store.getAccountByName('nobody')).toBeNull();
    });

    test('require an account for a key, which is found by its hash', async () => {
      const key = { name: 'ci', role: 'viewer', hash: 'h1', prefix: 'pb_abc' } as const;
      await expect(newKey(world.store, 'nobody', key)).rejects.toThrow('no-such-account');
      const account = await world.account({ name: 'team' });
      const made = await newKey(world.store, account.accountId, key);
      expect(made).toMatchObject({ accountName: 'team', name: 'ci', role: 'viewer', prefix: 'pb_abc' });
      expect(await world.store.authenticate('h1')).toEqual({
        keyId: made.id,
        accountId: account.accountId,
        accountName: 'team',
        userId: null,
        role: 'viewer',
        limitKeyId: made.id,
      });
      expect(await world.store.authenticate('h2')).toBeNull();
    });

    test('accept a key until it expires', async () => {
      const { accountId } = await world.account();
      // The store's clock is then a day ahead of the clock of this process
      world.travel(1_440 * MINUTE);
      await newKey(world.store, accountId, { hash: 'short', validForMs: MINUTE });
      expect(await world.store.authenticate('short')).not.toBeNull();
      world.travel(MINUTE + 1);
      expect(await world.store.authenticate('short')).toBeNull();
    });

    test('reject a revoked key and end the sessions that it created', async () => {
      const account = await world.account();
      const other = await world.account();
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      const mine = await world.startSession(account, 'd1');
      const theirs = await world.startSession(other, 'd2');
      const revoked = await world.store.revokeKey(account.keyId);
      expect(revoked?.key).toMatchObject({ id: account.keyId, revokedAt: expect.any(Number) });
      expect(revoked?.ended).toMatchObject([{ id: mine.id, status: 'disconnected', endReason: 'admin' }]);
      expect(await world.store.authenticate(account.hash)).toBeNull();
      expect(await world.store.getSession(theirs.id)).toMatchObject({ status: 'connecting' });
      const again = await world.store.revokeKey(account.keyId);
      expect(again).toEqual({ key: revoked?.key, ended: [] });
      expect(await world.store.revokeKey('key_unknown')).toBeNull();
    });

    test('replace the bootstrap key and keep the previous one valid unless it was revoked', async () => {
      const { store } = world;
      const account = { name: 'main', quotaMinutes: 10, maxSessions: null };
      await store.ensureBootstrapKey({ account, hash: 'one', prefix: 'pb_1' });
      await store.ensureBootstrapKey({
        account: { ...account, quotaMinutes: 20 },
        hash: 'two',
        prefix: 'pb_2',
      });
      await Promise.all(
        [1, 2, 3].map(() => store.ensureBootstrapKey({ account, hash: 'three', prefix: 'pb_3' })),
      );
      const principals = await Promise.all(['one', 'two', 'three'].map((hash) => store.authenticate(hash)));
      expect(principals.map((principal) => principal?.role)).toEqual(['admin', 'admin', 'admin']);
      expect((await store.listFleetKeys(ALL_ROWS)).items).toHaveLength(3);
      expect((await store.listAccounts(ALL_ROWS)).items).toMatchObject([{ name: 'main', quotaMinutes: 10 }]);
      await store.revokeKey(principals[0]!.keyId);
      await store.ensureBootstrapKey({ account, hash: 'one', prefix: 'pb_1' });
      expect(await store.authenticate('one')).toBeNull();
    });

    test('keep a replaced secret until the next rotation', async () => {
      const hex = async () =>
        (await world.store.listSecrets('signing')).map((key) => Buffer.from(key).toString('hex'));
      const [first, none] = await hex();
      expect(none).toBeUndefined();
      await world.store.rotateSecrets(['signing', 'unheard of']);
      const [second, kept] = await hex();
      expect(kept).toBe(first);
      expect(second).not.toBe(first);
      await world.store.rotateSecrets(['signing']);
      expect((await hex()).slice(1)).toEqual([second]);
      expect(await world.store.listSecrets('unheard of')).toHaveLength(2);
      expect(Buffer.from(await world.store.ensureSecret('signing')).toString('hex')).toBe((await hex())[0]);
    });

    test('create a secret once, identical for every process', async () => {
      const made = await Promise.all([1, 2, 3, 4].map(() => world.store.ensureSecret('sockets')));
      expect(new Set(made.map((secret) => Buffer.from(secret).toString('hex'))).size).toBe(1);
      expect(made[0]).toHaveLength(32);
      expect(await world.store.ensureSecret('other')).not.toEqual(made[0]);
    });
  });
}
