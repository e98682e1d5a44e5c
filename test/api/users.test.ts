import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOfKey } from '../../src/access/api-key.ts';
import { Api, type Page, refused, refusedField, succeeded } from '../black-box/kit/api.ts';
import { Description } from '../black-box/kit/description.ts';
import { type ApiRig, startApiRig } from './api-rig.ts';

let rig: ApiRig;
let admin: Api;
beforeAll(async () => {
  rig = await startApiRig();
  const { key } = await rig.key('ops', 'admin');
  admin = new Api({
    ...{ baseUrl: rig.baseUrl, key, ca: undefined },
    description: new Description(rig.openapi),
  });
});
afterAll(() => rig[Symbol.asyncDispose]());

/** Creates a user as after a sign-in at the identity provider, with the key issued for it. */
async function signedIn(name: string, role: 'viewer' | 'user' | 'admin' = 'user') {
  const key = `pb_${randomBytes(32).toString('base64url')}`;
  const ticket = { hash: randomUUID(), validForMs: 60_000 };
  const outcome = await rig.store.admitUser({
    identity: { issuer: 'https://id.example', subject: name, name, email: `${name}@example.com` },
    access: { account: { name: 'qa', quotaMinutes: null, maxSessions: null }, role },
    ticket,
  });
  if (!outcome.ok) throw new Error(outcome.why);
  await rig.store.claimKey({
    ticketHash: ticket.hash,
    key: { name: 'Console', ...factsOfKey(key), validForMs: 3_600_000 },
    maxKeys: 10,
  });
  return { user: outcome.user, api: admin.withKey(key) };
}

test('lists the signed-in users and their accounts to operators', async () => {
  const { user } = await signedIn('ada');
  const listed = succeeded(await admin.get<Page<object>>(`/admin/users?account_id=${user.accountId}`));
  expect(listed).toMatchObject({ total: 1, page: 1, page_size: 20 });
  expect(listed.items[0]).toEqual({
    ...{ id: user.id, name: 'ada', email: 'ada@example.com', role: 'user', issuer: 'https://id.example' },
    account: { id: user.accountId, name: 'qa' },
    created_at: expect.any(String),
    last_sign_in_at: expect.any(String),
    disabled_at: null,
  });
  expect(succeeded(await admin.get('/admin/users?account_id=acc_none')).total).toBe(0);
});

test('shows a user their sign-in, and creates keys that belong to the user', async () => {
  const { user, api } = await signedIn('grace');
  expect(succeeded(await api.get('/usage'))).toMatchObject({
    ...{ account: 'qa', user: { id: user.id, name: 'grace', email: 'grace@example.com' } },
  });
  const who = { id: user.id, name: 'grace' };
  const made = succeeded(await api.post('/keys', { name: 'ci', expires_in_days: 30 }));
  expect(made).toMatchObject({ user: who, signed_in: false });
  const { items } = succeeded(await api.get('/keys'));
  expect(items).toContainEqual(expect.objectContaining({ user: who, signed_in: true, current: true }));
  const theirs = { action: 'keys.create', user: who };
  expect(succeeded(await admin.get('/admin/audit?action=keys.create')).items).toMatchObject([theirs]);
  expect(succeeded(await admin.get('/usage')).user).toBeNull();
});

test('keeps an operator’s keys for another account when the operator is disabled', async () => {
  const { user, api } = await signedIn('root', 'admin');
  const { accountId } = await rig.key('shop');
  const made = succeeded(
    await api.post(`/admin/accounts/${accountId}/keys`, { name: 'ci', expires_in_days: 30 }),
  );
  expect(made.user).toBeNull();
  succeeded(await admin.post(`/admin/users/${user.id}/disable`));
  expect(await rig.store.validGrants([made.id])).toEqual([made.id]);
});

test('disabling a user revokes their keys, ends their sessions and is audited', async () => {
  const { user, api } = await signedIn('eve');
  await rig.report({ id: 'd1' });
  const session = succeeded(await api.post('/devices/d1/connect', {}));
  const fleet = await admin.get('/admin/sessions?device_id=d1');
  expect(session.created_by).toEqual({ user_id: user.id, name: 'eve' });
  const phone = { id: 'd1', status: 'busy', free_at: session.expires_at };
  expect(succeeded(await api.get('/devices/d1'))).toMatchObject(phone);
  expect(succeeded(await api.get('/devices/d1'))).not.toHaveProperty('host');
  const host = { id: expect.any(String), name: expect.any(String) };
  for (const path of ['/devices', '/devices/d1']) {
    const seen = succeeded(await admin.get<Partial<Page<object>>>(path));
    expect(seen.items?.[0] ?? seen).toMatchObject({ ...phone, host });
  }
  expect(succeeded(await api.get<Page<object>>('/devices')).items[0]).not.toHaveProperty('host');
  expect(succeeded(fleet).items).toMatchObject([{ user: { id: user.id, name: 'eve' } }]);
  expect(succeeded(await admin.get('/admin/devices')).items).toMatchObject([
    { session: { user: { id: user.id, name: 'eve' } } },
  ]);
  const made = succeeded(await api.post('/keys', { name: 'ci', expires_in_days: 30 }));
  const path = `/admin/users/${user.id}`;
  const disabled = succeeded(await admin.post(`${path}/disable`));
  expect(disabled.disabled_at).not.toBeNull();
  expect(succeeded(await admin.post(`${path}/disable`))).toEqual(disabled);
  refused(await admin.withKey(made.key).get('/usage'), 401, 40001);
  expect(await rig.store.getSession(session.session_id)).toMatchObject({ endReason: 'admin' });
  expect(succeeded(await admin.post(`${path}/enable`)).disabled_at).toBeNull();
  const { items } = succeeded(await admin.get(`/admin/audit?target=${user.id}`));
  expect(items.map(({ action }: { action: string }) => action)).toEqual([
    'admin.users.enable',
    'admin.users.disable',
    'admin.users.disable',
  ]);
});

test('operators cannot disable themselves or an unknown user', async () => {
  const { user, api } = await signedIn('boss', 'admin');
  refusedField(await api.post(`/admin/users/${user.id}/disable`), 'params.user_id');
  expect(await rig.store.getUser(user.id)).toMatchObject({ disabledAt: null });
  for (const action of ['disable', 'enable']) {
    const answer = await admin.post(`/admin/users/user_none/${action}`);
    expect(refused(answer, 404, 40008)).toEqual({ kind: 'user' });
  }
});
