import { describe, expect, test } from 'vitest';
import {
  type Device,
  type Page,
  refused,
  refusedField,
  type Session,
  succeeded,
} from '../black-box/kit/api.ts';
import { borrow, borrowConnected, freeDevice } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { useLocalTarget as localTarget } from '../black-box/kit/target.ts';
import { until, within } from '../black-box/kit/wait.ts';
import { newClient } from './kit/clients.ts';

const target = localTarget('the embedded store', {
  PHONEBOOTH_SIMULATED_PHONES: '3',
  PHONEBOOTH_QUOTA_MINUTES: '500',
});

interface FleetDevice extends Omit<Device, 'status'> {
  own_name: string;
  status: string | null;
  condition: string;
  condition_detail: string | null;
  maintenance: boolean;
  maintenance_note: string | null;
  problem: string | null;
  next_step: string | null;
  host: { id: string; name: string; state: string };
  session: { session_id: string; account: { id: string; name: string } } | null;
  last_session_ended_at: string | null;
}

interface Account {
  id: string;
  name: string;
  quota_minutes: number | null;
  max_sessions: number | null;
  disabled_at: string | null;
  minutes_used: number;
  live_sessions: number;
}

const get = async <T>(path: string) => succeeded(await target.api.get<T>(path));
const patch = (path: string, body: object) => target.api.request('PATCH', path, { body });
const devices = (query = '') => get<Page<FleetDevice>>(`/admin/devices${query}`);
const deviceOf = async (id: string) => (await devices(`?search=${id}`)).items[0]!;

describe('devices of the fleet', () => {
  test('are listed with their host and status', async () => {
    const client = await newClient(target.api);
    await using loan = await borrow(client.api);
    const { total, items } = await devices();
    expect(total).toBe(3);
    const busy = items.find(({ id }) => id === loan.device.id)!;
    expect(busy).toMatchObject({
      name: loan.device.name,
      own_name: loan.device.name,
      status: 'busy',
      condition: 'busy',
      condition_detail: 'in_use',
      maintenance: false,
      problem: null,
      next_step: null,
      host: { state: 'up' },
      session: {
        session_id: loan.session.session_id,
        account: { id: client.accountId, name: client.account },
        since: loan.session.created_at,
        expires_at: loan.session.expires_at,
      },
    });
    expect((await devices('?condition=busy')).items.map(({ id }) => id)).toContain(busy.id);
    expect((await devices('?condition=&search=&brand=&host_id=')).total).toBe(3);
    expect((await devices(`?host_id=${busy.host.id}&page_size=2&page=2`)).items).toHaveLength(1);
    expect((await devices('?host_id=unknown')).total).toBe(0);
    refusedField(await target.api.get('/admin/devices?condition=broken'), 'query.condition');
    refusedField(await target.api.get(`/admin/devices?search=${'x'.repeat(201)}`), 'query.search');
  });

  test('can be renamed, and reset to their own name', async () => {
    const { id, name } = await freeDevice(target.api);
    const path = `/admin/devices/${id}`;
    expect(succeeded(await patch(path, { name: 'Labor · 1' }))).toMatchObject({
      name: 'Labor · 1',
      own_name: name,
    });
    expect((await get<Device>(`/devices/${id}`)).name).toBe('Labor · 1');
    refusedField(await patch(path, { name: 'a\u0007' }), 'body.name');
    refusedField(await patch(path, { status: 'busy' }), 'body.status');
    refusedField(await patch(path, { maintenance: null, name: 5 }), 'body.name');
    expect(succeeded(await patch(path, { name: null }))).toMatchObject({ name, own_name: name });
    refused(await patch('/admin/devices/unknown', { name: 'x' }), 404, 40004);
  });

  test('are moved to an existing host, except during a session', async () => {
    const loan = await borrow(target.api);
    const path = `/admin/devices/${loan.device.id}`;
    const { host } = await deviceOf(loan.device.id);
    refusedField(await patch(path, { host_id: 'x'.repeat(129) }), 'body.host_id');
    expect(succeeded(await patch(path, { host_id: host.id }))).toMatchObject({ host, claimed_by: null });
    const refusal = await patch(path, { host_id: 'host-unknown' });
    expect(refused(refusal, 409, 40010)).toEqual({ reason: 'in_use' });
    await loan[Symbol.asyncDispose]();
    refusedField(await patch(path, { host_id: 'host-unknown' }), 'body.host_id');
  });

  test('in maintenance are not available, and one in use enters maintenance when its session ends', async () => {
    const loan = await borrow(target.api);
    const path = `/admin/devices/${loan.device.id}`;
    const note = { maintenance: true, maintenance_note: 'the screen flickers' };
    expect(succeeded(await patch(path, note))).toMatchObject({ ...note, condition: 'busy' });
    expect((await get<Session>(`/sessions/${loan.session.session_id}`)).status).not.toBe('disconnected');
    await loan[Symbol.asyncDispose]();
    await until('the phone to enter maintenance', async () => {
      const device = await deviceOf(loan.device.id);
      return device.condition === 'maintenance' && device.status === null && device.next_step !== null;
    });
    refused(await target.api.get(`/devices/${loan.device.id}`), 404, 40004);
    const refusal = await target.api.post(`/devices/${loan.device.id}/connect`);
    expect(refused(refusal, 409, 40010)).toEqual({ reason: 'maintenance' });
    const back = succeeded(await patch(path, { maintenance: false }));
    expect(back).toMatchObject({ maintenance: false, maintenance_note: null });
    await until(
      'the phone to be available',
      async () => (await deviceOf(loan.device.id)).condition === 'available',
    );
  });

  test('are released with a reason that the user of the session sees', async () => {
    const { api } = await newClient(target.api);
    const { session, device } = await borrowConnected(api);
    await using controller = await Controller.ready(session.control_url, target);
    const path = `/admin/devices/${device.id}/release`;
    refusedField(await target.api.post(path, {}), 'body.reason');
    refusedField(await target.api.post(path, { reason: 'a\nb' }), 'body.reason');
    const reason = 'The lab closes at six.';
    const ended = await target.api.post(path, { reason });
    expect(succeeded(ended)).toMatchObject({
      session_id: session.session_id,
      device_id: device.id,
      status: 'disconnected',
      end_reason: 'admin',
      end_detail: reason,
    });
    expect(ended.bytes.toString()).not.toMatch(/wss:/);
    expect((await within('the socket to be closed', controller.closed)).code).toBe(4003);
    expect(succeeded(await api.get(`/sessions/${session.session_id}`))).toMatchObject({
      end_reason: 'admin',
      end_detail: reason,
    });
    const again = await target.api.post(path, { reason });
    expect([40010, 40013]).toContain(again.code);
    if (again.code === 40010) expect(again.data).toEqual({ reason: 'cleaning' });
    await until(
      'the phone to be available',
      async () => (await deviceOf(device.id)).condition === 'available',
    );
    refused(await target.api.post(path, { reason }), 409, 40013);
    refused(await target.api.post('/admin/devices/unknown/release', { reason }), 404, 40004);
  });

  test('cannot be deleted while their host reports them', async () => {
    const loan = await borrow(target.api);
    const path = `/admin/devices/${loan.device.id}`;
    expect(refused(await target.api.request('DELETE', path), 409, 40010)).toEqual({ reason: 'in_use' });
    await loan[Symbol.asyncDispose]();
    expect(refused(await target.api.request('DELETE', path), 409, 40010)).toEqual({ reason: 'present' });
    refused(await target.api.request('DELETE', '/admin/devices/unknown'), 404, 40004);
  });
});

describe('hosts', () => {
  test('are listed with their phones, and the service’s own host cannot be revoked', async () => {
    const { items } = await get<Page<{ id: string; phones: Record<string, number> }>>('/admin/hosts');
    expect(items).toMatchObject([{ state: 'up', last_seen: expect.any(String) }]);
    expect(Object.values(items[0]!.phones).reduce((sum, n) => sum + n)).toBe(3);
    refusedField(await target.api.request('DELETE', `/admin/hosts/${items[0]!.id}`), 'params.host_id');
    const missing = await target.api.request('DELETE', '/admin/hosts/unknown');
    expect(refused(missing, 404, 40008)).toEqual({ kind: 'host' });
  });

  test('are added with a credential that only this response contains', async () => {
    const added = succeeded(await target.api.post('/admin/hosts', { name: 'cellar' }));
    expect(added).toMatchObject({ name: 'cellar', state: 'silent', last_seen: null, live_sessions: 0 });
    expect(added.credential).toMatch(new RegExp(`^${added.id}\\.SU[A-Z2-7]{56}$`));
    refusedField(await target.api.post('/admin/hosts', { name: 'cellar' }), 'body.name');
    refusedField(await target.api.post('/admin/hosts', { name: '' }), 'body.name');
    const listed = JSON.stringify(await target.api.get('/admin/hosts'));
    expect(listed).toContain(added.id);
    expect(listed).not.toContain(added.credential.split('.')[1]);
    const { items } = await get<Page<object>>(`/admin/audit?target=${added.id}`);
    expect(items).toMatchObject([{ action: 'admin.hosts.create', code: 0 }]);
    succeeded(await target.api.request('DELETE', `/admin/hosts/${added.id}`));
  });

  test('added on the command line can be revoked', async () => {
    const { stdout } = await target.service.command('hosts', 'add', '--name', 'attic', '--json');
    const { host } = JSON.parse(stdout) as { host: { id: string } };
    const find = async () =>
      (await get<Page<{ id: string; state: string }>>('/admin/hosts')).items.find(({ id }) => id === host.id);
    expect(await find()).toMatchObject({ name: 'attic', state: 'silent', last_seen: null });
    const revoked = succeeded(await target.api.request('DELETE', `/admin/hosts/${host.id}`));
    expect(revoked).toMatchObject({ id: host.id, state: 'revoked' });
    expect(succeeded(await target.api.request('DELETE', `/admin/hosts/${host.id}`))).toEqual(revoked);
    expect(await find()).toEqual(revoked);
  });
});

describe('accounts', () => {
  test('are created with the default limits, other limits or none', async () => {
    const make = async (body: object) =>
      succeeded(
        await target.api.post<Account>('/admin/accounts', { name: `a-${crypto.randomUUID()}`, ...body }),
      );
    expect(await make({})).toMatchObject({ quota_minutes: 500, max_sessions: null, minutes_used: 0 });
    expect(await make({ quota_minutes: 7, max_sessions: 2 })).toMatchObject({
      quota_minutes: 7,
      max_sessions: 2,
    });
    expect(await make({ quota_minutes: null })).toMatchObject({ quota_minutes: null });
    refusedField(await target.api.post('/admin/accounts', { name: 'default' }), 'body.name');
    refusedField(await target.api.post('/admin/accounts', {}), 'body.name');
    const wrong = await target.api.post('/admin/accounts', { name: 'x', quota_minutes: -1 });
    refusedField(wrong, 'body.quota_minutes');
    expect(wrong.message).toBe('body.quota_minutes must be a whole number from 0 to 1000000000, or null');
  });

  test('are not created twice by a repeated request', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const body = { name: `once-${crypto.randomUUID()}` };
    const first = succeeded(await target.api.post('/admin/accounts', body, { headers }));
    expect(succeeded(await target.api.post('/admin/accounts', body, { headers }))).toEqual(first);
    refused(await target.api.post('/admin/accounts', { name: 'other' }, { headers }), 409, 40012);
  });

  test('can be limited and renamed, and report their usage', async () => {
    const { api, accountId } = await newClient(target.api, { limits: { quota_minutes: 10 } });
    const path = `/admin/accounts/${accountId}`;
    await using loan = await borrow(api, { duration: 6 });
    const read = async () =>
      (await get<Page<Account>>('/admin/accounts?page_size=100')).items.find(({ id }) => id === accountId);
    expect(await read()).toMatchObject({ minutes_used: 6, live_sessions: 1, quota_minutes: 10 });
    const name = `renamed-${crypto.randomUUID()}`;
    const changed = succeeded(await patch(path, { name, quota_minutes: null, max_sessions: 1 }));
    expect(changed).toMatchObject({ name, quota_minutes: null, max_sessions: 1, minutes_used: 6 });
    succeeded(await api.post(`/sessions/${loan.session.session_id}/extend`, { duration: 60 }));
    refusedField(await patch(path, { name: 'default' }), 'body.name');
    expect(refused(await patch('/admin/accounts/unknown', { name: 'x' }), 404, 40008)).toEqual({
      kind: 'account',
    });
  });

  test('that are disabled are rejected and lose their sessions until they are enabled', async () => {
    const { api, accountId } = await newClient(target.api);
    const { session } = await borrow(api);
    const path = `/admin/accounts/${accountId}`;
    expect(succeeded(await patch(path, { disabled: true }))).toMatchObject({
      disabled_at: expect.any(String),
      live_sessions: 0,
    });
    await until('its key to be refused', async () => (await api.get('/devices')).code === 40001);
    expect(succeeded(await patch(path, { disabled: false }))).toMatchObject({ disabled_at: null });
    const ended = succeeded(await api.get(`/sessions/${session.session_id}`));
    expect(ended).toMatchObject({ end_reason: 'admin', end_detail: 'its account was disabled' });
  });

  test('cannot be disabled by one of their own keys', async () => {
    const admin = await newClient(target.api, { role: 'admin' });
    const own = `/admin/accounts/${admin.accountId}`;
    refusedField(await admin.api.request('PATCH', own, { body: { disabled: true } }), 'body.disabled');
    succeeded(await admin.api.get('/devices'));
  });

  test('have keys that can be revoked', async () => {
    const client = await newClient(target.api);
    const path = `/admin/accounts/${client.accountId}/keys`;
    const listed = await target.api.get(path);
    expect(succeeded(listed)).toMatchObject({ total: 1, items: [{ id: client.keyId, current: false }] });
    expect(listed.bytes.toString()).not.toContain(client.key);
    const revoked = succeeded(await target.api.request('DELETE', `/admin/keys/${client.keyId}`));
    expect(revoked).toMatchObject({ revoked_at: expect.any(String) });
    await until('the key to be refused', async () => (await client.api.get('/keys')).code === 40001);
    for (const answer of [
      await target.api.get('/admin/accounts/unknown/keys'),
      await target.api.post('/admin/accounts/unknown/keys', { name: 'x' }),
    ]) {
      expect(refused(answer, 404, 40008)).toEqual({ kind: 'account' });
    }
    expect(refused(await target.api.request('DELETE', '/admin/keys/unknown'), 404, 40008)).toEqual({
      kind: 'key',
    });
  });
});

describe('sessions and utilisation', () => {
  test('lists the sessions of all accounts without their socket addresses', async () => {
    const { total: before } = await get<Page<Session>>('/admin/sessions?page_size=1');
    const client = await newClient(target.api);
    await using loan = await borrow(client.api);
    const query = `?account_id=${client.accountId}&device_id=${loan.device.id}&status=`;
    const answer = await target.api.get<Page<object>>(`/admin/sessions${query}`);
    expect(succeeded(answer)).toMatchObject({
      total: 1,
      items: [
        {
          session_id: loan.session.session_id,
          account: { id: client.accountId, name: client.account },
          device_name: loan.device.name,
        },
      ],
    });
    expect(answer.bytes.toString()).not.toMatch(/wss:|stream_url/);
    expect(await get<Page<object>>('/admin/sessions?account_id=unknown')).toMatchObject({ total: 0 });
    const newest = await get<Page<Session>>('/admin/sessions?page_size=1');
    expect(newest.total).toBe(before + 1);
    expect(newest.items[0]!.session_id).toBe(loan.session.session_id);
  });

  test('lists the hours up to the current one with their capacity', async () => {
    interface Hour {
      hour: string;
      in_use_minutes: number;
      offered_minutes: number;
      sampled_minutes: number;
    }
    const last = await until('a minute to be sampled', async () => {
      const { hours } = await get<{ hours: Hour[] }>('/admin/utilisation');
      expect(hours).toHaveLength(24);
      return hours.at(-1)!.sampled_minutes > 0 && hours.at(-1)!;
    });
    expect(Date.parse(last.hour)).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(last.hour)).toBeGreaterThan(Date.now() - 3_700_000);
    expect(last.offered_minutes).toBeLessThanOrEqual(3 * last.sampled_minutes);
    expect((await get<{ hours: Hour[] }>('/admin/utilisation?hours=744')).hours).toHaveLength(744);
    for (const hours of ['0', '745', 'x']) {
      refusedField(await target.api.get(`/admin/utilisation?hours=${hours}`), 'query.hours');
    }
  });
});
