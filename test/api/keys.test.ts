import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type Page,
  refused,
  refusedField,
  type Session,
  succeeded,
  type Usage,
} from '../black-box/kit/api.ts';
import { borrow, borrowConnected } from '../black-box/kit/borrow.ts';
import { useLocalTarget as localTarget, STORES } from '../black-box/kit/target.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until, within } from '../black-box/kit/wait.ts';
import { newKey } from '../fixtures/accounts.ts';
import { sharedPostgres } from '../fixtures/shared-postgres.ts';
import { startApiRig } from './api-rig.ts';
import { type Key, newClient } from './kit/clients.ts';

const target = localTarget('the embedded store');

type Created = Key & { key: string | null };

describe('own keys', () => {
  test('are created, shown once, listed without their secret, and accepted', async () => {
    const { api, key, keyId } = await newClient(target.api);
    const made = succeeded(await api.post<Created>('/keys', { name: 'Build server', expires_in_days: 30 }));
    expect(made).toMatchObject({ name: 'Build server', role: 'user', current: false, revoked_at: null });
    expect(made.key).toMatch(/^pb_[\w-]{43}$/);
    expect(made.key!.startsWith(made.prefix)).toBe(true);
    const days = (Date.parse(made.expires_at!) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    succeeded(await api.withKey(made.key!).get('/devices'));
    const listed = await api.get<Page<Key>>('/keys');
    const { total, items } = succeeded(listed);
    expect({ total, ids: items.map(({ id }) => id) }).toEqual({ total: 2, ids: [made.id, keyId] });
    expect(items.map(({ current }) => current)).toEqual([false, true]);
    for (const secret of [made.key!, key]) expect(listed.bytes.toString()).not.toContain(secret);
  });

  test('show the longest lifetime of the keys that they can create', async () => {
    const { api } = await newClient(target.api);
    const longest = async (client: typeof api) =>
      succeeded(await client.get<{ max_key_days: number | null }>('/usage')).max_key_days;
    expect(await longest(api)).toBeNull();
    const made = succeeded(await api.post<Created>('/keys', { name: 'a', expires_in_days: 30 }));
    const limited = api.withKey(made.key!);
    // The key expires in a little less than 30 days
    expect(await longest(limited)).toBe(29);
    succeeded(await limited.post('/keys', { name: 'b', expires_in_days: 29 }));
    refusedField(await limited.post('/keys', { name: 'c', expires_in_days: 30 }), 'body.expires_in_days');
  });

  test('show the time and the address of their last use', async () => {
    const { api, keyId } = await newClient(target.api);
    const used = await until('the use of the key to be recorded', async () => {
      const { items } = succeeded(await api.get<Page<Key>>('/keys'));
      const own = items.find(({ id }) => id === keyId);
      return own?.last_used_at ? own : null;
    });
    expect(Math.abs(Date.parse(used.last_used_at!) - Date.now())).toBeLessThan(60_000);
    expect(used.last_used_from).toMatch(/^(127\.0\.0\.1|::1)$/);
  });

  test('are created with at most the role of the creating key, and never by a viewer', async () => {
    const user = await newClient(target.api);
    refused(await user.api.post('/keys', { name: 'x', role: 'admin' }), 403, 40003);
    const made = succeeded(await user.api.post<Created>('/keys', { name: 'x', role: 'viewer' }));
    refused(await user.api.withKey(made.key!).post('/keys', { name: 'y', role: 'viewer' }), 403, 40003);
    succeeded(await user.api.withKey(made.key!).get('/keys'));
  });

  test('have a name of 1 to 100 characters on one line, and no other fields', async () => {
    const { api } = await newClient(target.api);
    for (const name of ['', ' ', 'a\nb', 'a\u0000', 'safe\u202egnp', 'x'.repeat(101), 7, null, undefined]) {
      refusedField(await api.post('/keys', { name }), 'body.name');
    }
    refusedField(await api.post('/keys', { name: 'a', role: 'root' }), 'body.role');
    refusedField(await api.post('/keys', { name: 'a', expires_in_days: 0 }), 'body.expires_in_days');
    refusedField(await api.post('/keys', { name: 'a', hash: 'x' }), 'body.hash');
    const { message } = await api.post('/keys', { name: 'a\nb' });
    expect(message).toBe(
      'body.name must be a string of 1 to 100 characters on one line, without control characters',
    );
    succeeded(await api.post('/keys', { name: 'Büro 3 · “Лаб”', role: null, expires_in_days: null }));
  });

  test('are not created twice by a repeated request, which omits the secret', async () => {
    const { api } = await newClient(target.api);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = succeeded(await api.post<Created>('/keys', { name: 'once' }, { headers }));
    const again = succeeded(await api.post<Created>('/keys', { name: 'once' }, { headers }));
    expect(again).toEqual({ ...first, key: null });
    refused(await api.post('/keys', { name: 'other' }, { headers }), 409, 40012);
    expect(succeeded(await api.get<Page<Key>>('/keys')).total).toBe(2);
  });

  test('are revoked only within their account and by a role that is at least as high', async () => {
    const user = await newClient(target.api);
    const other = await newClient(target.api);
    const admin = await newClient(target.api, { role: 'admin', of: user });
    expect(refused(await other.api.request('DELETE', `/keys/${user.keyId}`), 404, 40008)).toEqual({
      kind: 'key',
    });
    refused(await user.api.request('DELETE', '/keys/key_unknown'), 404, 40008);
    refused(await user.api.request('DELETE', `/keys/${admin.keyId}`), 403, 40003);
    const revoked = succeeded(await admin.api.request<Key>('DELETE', `/keys/${user.keyId}`));
    expect(revoked).toMatchObject({ id: user.keyId, revoked_at: expect.any(String) });
    expect(succeeded(await admin.api.request<Key>('DELETE', `/keys/${user.keyId}`))).toEqual(revoked);
    await until('the key to be refused', async () => (await user.api.get('/keys')).code === 40001);
  });

  test('can revoke themselves, which ends their sessions and closes their sockets', async () => {
    const { api, keyId } = await newClient(target.api);
    const { session } = await borrowConnected(api);
    await using viewer = await Viewer.open(session.stream_url, target);
    await viewer.firstFrame();
    expect(succeeded(await api.request<Key>('DELETE', `/keys/${keyId}`)).current).toBe(true);
    expect((await within('the socket to be closed', viewer.closed)).code).toBe(4003);
    await until('the key to be refused', async () => (await api.get('/devices')).code === 40001);
  });

  test.each(STORES)('are rejected with 40001 once they have expired, on %s', async (store) => {
    const databaseUrl = store === 'PostgreSQL' ? await sharedPostgres.createDatabase() : undefined;
    await using rig = await startApiRig({ ...(databaseUrl && { databaseUrl }) });
    const key = `pb_${randomUUID()}`;
    const hash = createHash('sha256').update(key).digest('hex');
    await newKey(rig.store, (await rig.key()).accountId, { hash, validForMs: 86_400_000 });
    const listDevices = async (): Promise<{ code: number }> => {
      const answer = await fetch(`${rig.baseUrl}/devices`, { headers: { authorization: `Bearer ${key}` } });
      return (await answer.json()) as { code: number };
    };
    expect(await listDevices()).toMatchObject({ code: 0 });
    rig.travel(86_400_000);
    await until('the key to be refused', async () => (await listDevices()).code === 40001);
  });
});

describe('usage by day', () => {
  test('covers every day of the month, including today', async () => {
    const { api } = await newClient(target.api);
    const loan = await borrow(api, { duration: 7 });
    const today = loan.session.created_at.slice(0, 10);
    const month = today.slice(0, 7);
    const read = async (query = '') =>
      succeeded(await api.get<{ month: string; days: { date: string }[] }>(`/usage/days${query}`));
    const usage = await read(`?month=${month}`);
    expect(usage.month).toBe(month);
    expect(usage.days.find(({ date }) => date === today)).toEqual({
      date: today,
      sessions: 1,
      minutes: 0,
      reserved: 7,
    });
    const unasked = await read();
    expect(await read(`?month=${unasked.month}`)).toEqual(unasked);
    // If the test runs around midnight, the month may change during it.
    await until('all responses to name the current month', async () => {
      const { month: ofUsage } = succeeded(await api.get<Usage>('/usage'));
      const months = [ofUsage, (await read()).month, (await read('?month=')).month];
      return new Set(months).size === 1;
    });
    expect((await read('?month=2024-02')).days).toHaveLength(29);
    await loan[Symbol.asyncDispose]();
    const path = `/sessions/${loan.session.session_id}`;
    const { minutes_charged } = succeeded(await api.get<Session>(path));
    expect((await read(`?month=${month}`)).days.find(({ date }) => date === today)).toMatchObject({
      minutes: minutes_charged,
      reserved: 0,
    });
  });

  test('rejects anything other than a month', async () => {
    for (const month of ['2026', '2026-13', '2026-1', 'now', '2026-00']) {
      refusedField(await target.api.get(`/usage/days?month=${month}`), 'query.month');
    }
  });
});
