import { describe, expect, test } from 'vitest';
import { type Account, appOf, type World } from './world.ts';

const MAX_APPS = 6;

export function appTests(world: World): void {
  const create = (
    { accountId, keyId }: Account,
    sha256: string,
    key: string | null = null,
    fingerprint = 'same',
  ) =>
    world.store.createApp({
      keyId,
      app: appOf(accountId, sha256),
      maxApps: MAX_APPS,
      idempotency: key === null ? null : { key, fingerprint },
    });

  describe('apps', () => {
    test('are shared for the same bytes of one account, but not between accounts', async () => {
      const account = await world.account();
      const other = await world.account();
      const first = await create(account, 'aa');
      expect(first).toMatchObject({
        ok: true,
        created: true,
        app: { sha256: 'aa', accountId: account.accountId },
      });
      const again = await create(account, 'aa');
      expect(again).toEqual({ ...first, created: false });
      expect(await create(other, 'aa')).toMatchObject({ created: true });
      expect(await create(account, 'bb')).toMatchObject({ created: true });
    });

    test('are created once if the same bytes arrive concurrently', async () => {
      const account = await world.account();
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => create(account, 'aa')));
      expect(new Set(outcomes.map((outcome) => outcome.ok && outcome.app.id)).size).toBe(1);
      expect(outcomes.filter((outcome) => outcome.ok && outcome.created)).toHaveLength(1);
    });

    test('preserve every field, and are returned only to their account', async () => {
      const { accountId, keyId } = await world.account();
      const other = await world.account();
      const facts = {
        ...appOf(accountId, 'aa'),
        versionCode: 4_294_967_297,
        minSdk: 26,
        iconType: 'image/png' as const,
      };
      await world.store.createApp({ keyId, app: facts, maxApps: MAX_APPS, idempotency: null });
      const app = await world.store.getApp(facts.id, accountId);
      expect(app).toEqual({ ...facts, createdAt: expect.any(Number) });
      expect(await world.store.getApp(facts.id, other.accountId)).toBeNull();
      expect(await world.store.getKeptApp(facts.id)).toEqual(app);
    });

    test('are listed newest first with the correct total, for their account only', async () => {
      const account = await world.account();
      await world.app(await world.account());
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        ids.unshift(await world.app(account));
        world.travel(1000);
      }
      const list = async (page: number) => {
        const { total, items } = await world.store.listApps({ ...account, page, pageSize: 2 });
        return { total, ids: items.map(({ id }) => id) };
      };
      expect(await list(1)).toEqual({ total: 5, ids: ids.slice(0, 2) });
      expect(await list(3)).toEqual({ total: 5, ids: ids.slice(4) });
      expect(await list(4)).toEqual({ total: 5, ids: [] });
    });

    test('are limited per account, including concurrent uploads', async () => {
      const account = await world.account();
      const names = Array.from({ length: MAX_APPS + 3 }, (_, n) => `app ${n}`);
      const outcomes = await Promise.all(names.map((name) => create(account, name)));
      const refused = outcomes.filter((outcome) => !outcome.ok);
      expect(refused).toHaveLength(3);
      const shortfall = { kind: 'apps', limit: MAX_APPS, used: MAX_APPS, requested: 1, resets_at: null };
      expect(refused[0]).toEqual({ ok: false, refusal: { why: 'quota', shortfall } });
      const [kept] = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.app] : []));
      expect(await create(account, kept!.sha256)).toMatchObject({ ok: true, created: false });
      await world.store.deleteApp(kept!.id, account.accountId);
      expect(await create(account, 'one more')).toMatchObject({ ok: true, created: true });
      expect(await create(account, 'and another')).toMatchObject({ ok: false });
      expect(await create(await world.account(), 'another’s')).toMatchObject({ ok: true });
    });

    test('count towards the account’s disk space until their files are deleted', async () => {
      const account = await world.account({ maxAppBytes: 3_200 });
      const { accountId } = account;
      const first = await create(account, 'aa');
      const second = await create(account, 'bb');
      const shortfall = { kind: 'app_bytes', limit: 3_200, used: 3_000, requested: 1_500, resets_at: null };
      expect(await create(account, 'cc')).toEqual({ ok: false, refusal: { why: 'quota', shortfall } });
      expect(await create(account, 'aa')).toMatchObject({ ok: true, created: false });
      expect(await world.store.getUsage(accountId)).toMatchObject({
        app_bytes: { limit: 3_200, used: 3_000 },
      });
      if (!first.ok || !second.ok) throw new Error('the app was rejected');
      await world.store.deleteApp(first.app.id, accountId);
      expect(await create(account, 'cc')).toMatchObject({ ok: false });
      await world.store.purgeApps([first.app.id]);
      expect(await create(account, 'cc')).toMatchObject({ ok: true });
      const change = { accountId, maxAppBytes: null };
      expect(await world.store.updateAccount(change)).toMatchObject({
        account: { maxAppBytes: null, appBytes: 3_000 },
      });
      expect(await create(account, 'dd')).toMatchObject({ ok: true });
    });

    test('are not created with a revoked key or for a disabled account', async () => {
      const revoked = await world.account();
      await world.store.revokeKey(revoked.keyId);
      const disabled = await world.account();
      await world.store.updateAccount({ accountId: disabled.accountId, disabled: true });
      for (const account of [revoked, disabled]) {
        const refused = { ok: false, refusal: { why: 'key-invalid' } };
        expect(await create(account, 'aa')).toEqual(refused);
        expect((await world.store.listApps({ ...account, page: 1, pageSize: 9 })).total).toBe(0);
      }
    });

    test('without a measured size are listed until they are measured', async () => {
      const { accountId, keyId } = await world.account();
      const app = { ...appOf(accountId, 'aa'), storedSize: null };
      await world.store.createApp({ keyId, app: app as never, maxApps: MAX_APPS, idempotency: null });
      expect(await world.store.getApp(app.id, accountId)).toMatchObject({ storedSize: 1_000 });
      expect(await world.store.listUnmeasuredApps(5)).toEqual([app.id]);
      await world.store.recordStoredSize(app.id, 4_000);
      expect(await world.store.getApp(app.id, accountId)).toMatchObject({ storedSize: 4_000 });
      expect(await world.store.listUnmeasuredApps(5)).toEqual([]);
    });

    test('are returned for a replayed idempotency key, which is rejected for another request', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const first = await create(account, 'aa', 'key-1');
      expect(await create(account, 'aa', 'key-1')).toEqual({ ...first, created: false });
      const conflict = { ok: false, refusal: { why: 'idempotency-conflict' } };
      expect(await create(account, 'bb', 'key-1', 'other')).toEqual(conflict);
      const idempotency = { key: 'key-1', fingerprint: 'a connect' };
      expect(await world.connect(account, 'd1', { idempotency })).toEqual(conflict);
      expect((await world.store.listApps({ ...account, page: 1, pageSize: 9 })).total).toBe(1);
    });

    test('disappear when they are deleted, and can be uploaded again', async () => {
      const account = await world.account();
      const id = await world.app(account, 'aa');
      expect(await world.store.deleteApp(id, (await world.account()).accountId)).toBe(false);
      expect(await world.store.deleteApp(id, account.accountId)).toBe(true);
      expect(await world.store.deleteApp(id, account.accountId)).toBe(false);
      expect(await world.store.getApp(id, account.accountId)).toBeNull();
      expect((await world.store.listApps({ ...account, page: 1, pageSize: 9 })).total).toBe(0);
      expect(await create(account, 'aa')).toMatchObject({ created: true });
      expect(await world.store.listUnneededApps(10)).toEqual([id]);
      await world.store.purgeApps([id]);
      expect(await world.store.listUnneededApps(10)).toEqual([]);
      expect(await world.store.getKeptApp(id)).toBeNull();
    });
  });

  describe('connect with an app', () => {
    test('allocates nothing if the app is unknown, deleted or owned by another account', async () => {
      const account = await world.account({ quotaMinutes: 100 });
      const deleted = await world.app(account);
      await world.store.deleteApp(deleted, account.accountId);
      const foreign = await world.app(await world.account());
      await world.report([{ id: 'd1' }]);
      for (const appId of ['unknown', deleted, foreign]) {
        const refusal = { ok: false, refusal: { why: 'app-not-found' } };
        expect(await world.connect(account, 'd1', { appId })).toEqual(refusal);
        const idempotency = { key: appId, fingerprint: 'f' };
        expect(await world.connect(account, 'd1', { appId, idempotency })).toEqual(refusal);
      }
      expect(await world.store.getUsage(account.accountId)).toMatchObject({ minutes: { used: 0 } });
      expect(await world.device('d1')).toMatchObject({ status: 'available' });
    });

    test('keeps the files of a deleted app while the session waits for it', async () => {
      const account = await world.account();
      const appId = await world.app(account);
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1', { appId });
      await world.store.deleteApp(appId, account.accountId);
      expect(await world.store.listUnneededApps(10)).toEqual([]);
      expect(await world.store.getKeptApp(appId)).toMatchObject({ id: appId });
      await world.store.end({ sessionId: session.id, reason: 'client' });
      expect(await world.store.listUnneededApps(10)).toEqual([appId]);
      await world.store.purgeApps([appId]);
      expect(await world.store.getSession(session.id)).toMatchObject({ appId });
    });
  });

  describe('requestApp', () => {
    const request = (sessionId: string, accountId: string, appId: string, key: string | null = null) =>
      world.store.requestApp({
        sessionId,
        accountId,
        appId,
        idempotency: key === null ? null : { key, fingerprint: `${sessionId} ${appId}` },
      });

    async function connectedSession() {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      const appId = await world.app(account);
      return { account, session, appId };
    }

    test('requires a live, connected session and an own app', async () => {
      const { account, session, appId } = await connectedSession();
      const ask = (id: string) => request(session.id, account.accountId, id);
      expect(await ask(appId)).toEqual({ ok: false, refusal: { why: 'not-connected' } });
      await world.bringUp(session);
      expect(await ask('unknown')).toEqual({ ok: false, refusal: { why: 'app-not-found' } });
      expect(await request('unknown', account.accountId, appId)).toBeNull();
      const other = await world.account();
      expect(await request(session.id, other.accountId, await world.app(other))).toBeNull();
      expect(await ask(appId)).toMatchObject({
        ok: true,
        session: { appId, appStatus: 'pending', appRequest: 1 },
      });
      await world.store.end({ sessionId: session.id, reason: 'client' });
      expect(await ask(appId)).toEqual({ ok: false, refusal: { why: 'ended' } });
    });

    test('sends a request number to the host, and accepts progress only for that number', async () => {
      const { account, session, appId } = await connectedSession();
      await world.bringUp(session);
      await request(session.id, account.accountId, appId);
      await request(session.id, account.accountId, appId);
      const reportInstall = (request: number, status: 'installed' | 'failed', error: string | null = null) =>
        world.report([
          {
            id: 'd1',
            lease: { sessionId: session.id, epoch: 1, connected: true, app: { request, status, error } },
          },
        ]);
      const { assignments, changed } = await reportInstall(1, 'installed');
      expect(assignments).toMatchObject([{ lease: { app: { appId, request: 2 } } }]);
      expect(changed).toEqual([]);
      const failed = await reportInstall(2, 'failed', 'INSTALL_FAILED_OLDER_SDK');
      expect(failed.changed).toMatchObject([{ appStatus: 'failed', appError: 'INSTALL_FAILED_OLDER_SDK' }]);
      expect((await reportInstall(2, 'failed', 'INSTALL_FAILED_OLDER_SDK')).changed).toEqual([]);
      const again = await request(session.id, account.accountId, appId);
      expect(again).toMatchObject({ session: { appStatus: 'pending', appError: null, appRequest: 3 } });
    });

    test('answers a replay with the session without another request', async () => {
      const { account, session, appId } = await connectedSession();
      await world.bringUp(session);
      const first = await request(session.id, account.accountId, appId, 'key-1');
      expect(first).toMatchObject({ ok: true, replayed: false });
      const again = await request(session.id, account.accountId, appId, 'key-1');
      expect(again).toMatchObject({ ok: true, replayed: true, session: { appRequest: 1 } });
      const another = await request(session.id, account.accountId, await world.app(account), 'key-1');
      expect(another).toEqual({ ok: false, refusal: { why: 'idempotency-conflict' } });
    });
  });
}
