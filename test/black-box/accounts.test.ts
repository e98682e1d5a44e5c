import { describe, expect, test } from 'vitest';
import { makeApk } from '../fixtures/apk.ts';
import { promised } from '../nightly.ts';
import { type App, type Device, type Page, refused, type Session, succeeded, type Usage } from './kit/api.ts';
import { borrow, borrowConnected, freeDevice, listAll } from './kit/borrow.ts';
import { Controller } from './kit/controller.ts';
import { type LocalTarget, STORES, useLocalTarget } from './kit/target.ts';
import { Viewer } from './kit/viewer.ts';
import { until, within } from './kit/wait.ts';

/** Creates a client with a new key. */
async function newClient(target: LocalTarget, ...options: string[]) {
  const account = `account-${crypto.randomUUID().slice(0, 8)}`;
  const args = ['keys', 'create', '--json', ...(options.includes('--account') ? [] : ['--account', account])];
  const { code, stdout, stderr } = await target.service.command(...args, ...options);
  if (code !== 0) throw new Error(`keys create ended with ${code}: ${stderr}`);
  const created = JSON.parse(stdout) as { key: string; id: string; account: { name: string } };
  return { api: target.api.withKey(created.key), keyId: created.id, account: created.account.name };
}

const connect = async (api: LocalTarget['api'], device: Device, duration: number) =>
  api.post<Session>(`/devices/${device.id}/connect`, { duration });

// These tests need accounts and keys, which only the operator of a deployment can create, so they always run on a
// service that the suite starts.
describe.each(STORES)('accounts and keys, on %s', (store) => {
  const target = useLocalTarget(store, { PHONEBOOTH_MAX_DURATION: '120' });

  describe('a quota', () => {
    test('of minutes: a connect above it is rejected with 40011 and the remaining minutes', async () => {
      const { api } = await newClient(target, '--minutes', '10');
      const device = await freeDevice(api);
      const shortfall = refused(await connect(api, device, 11), 403, 40011);
      const { resets_at } = succeeded(await api.get<Usage>('/usage'));
      expect(shortfall).toEqual({ kind: 'minutes', limit: 10, used: 0, requested: 11, resets_at });
      expect(succeeded(await api.get<Device>(`/devices/${device.id}`)).status).toBe('available');
      await using loan = await borrow(api, { duration: 8 });
      const other = await freeDevice(api);
      expect(refused(await connect(api, other, 3), 403, 40011)).toMatchObject({ used: 8, requested: 3 });
      const { session_id } = loan.session;
      refused(await api.post(`/sessions/${session_id}/extend`, { duration: 3 }), 403, 40011);
      succeeded(await api.post(`/sessions/${session_id}/extend`, { duration: 2 }));
      expect(succeeded(await api.get<Usage>('/usage')).minutes).toEqual({
        limit: 10,
        used: 10,
        reserved: 10,
        remaining: 0,
      });
      succeeded(await api.post(`/sessions/${session_id}/disconnect`));
      const { minutes_charged } = succeeded(await api.get<Session>(`/sessions/${session_id}`));
      const after = succeeded(await api.get<Usage>('/usage')).minutes;
      expect(after).toEqual({
        limit: 10,
        used: minutes_charged,
        reserved: 0,
        remaining: 10 - minutes_charged!,
      });
    });

    test('of minutes is enforced for concurrent connects', async () => {
      const { api } = await newClient(target, '--minutes', '10');
      const devices = await until('two available phones', async () => {
        const free = await listAll(api, '&status=available');
        return free.length >= 2 && free;
      });
      const answers = await Promise.all(devices.map((device) => connect(api, device, 10)));
      const granted = answers.filter(({ code }) => code === 0);
      for (const { data } of granted) succeeded(await api.post(`/sessions/${data.session_id}/disconnect`));
      expect(granted).toHaveLength(1);
      expect(answers.filter(({ code }) => code === 40011)).toHaveLength(answers.length - 1);
    });

    test('of sessions: a connect above it is rejected with 40011 until a session ends', async () => {
      const { api } = await newClient(target, '--sessions', '1');
      const loan = await borrow(api);
      const second = await freeDevice(api);
      expect(refused(await connect(api, second, 1), 403, 40011)).toMatchObject({
        kind: 'sessions',
        limit: 1,
        used: 1,
        requested: 1,
      });
      await loan[Symbol.asyncDispose]();
      await using again = await borrow(api);
      expect(again.session.status).toBe('connecting');
    });

    test('is checked after the availability of the device', async () => {
      const { api } = await newClient(target, '--minutes', '0');
      await using loan = await borrow(target.api);
      refused(await connect(api, loan.device, 1), 409, 40010);
      refused(await api.post('/devices/nobody/connect', {}), 404, 40004);
    });
  });

  test('does not override the configured maximum duration', async () => {
    const device = await freeDevice(target.api);
    const { errors } = refused(await connect(target.api, device, 121), 400, 40000);
    expect(errors).toEqual([{ field: 'body.duration', message: expect.stringContaining('120') }]);
    await using loan = await borrow(target.api, { duration: 120 });
    expect(loan.session.minutes_reserved).toBe(120);
    refused(
      await target.api.post(`/sessions/${loan.session.session_id}/extend`, { duration: 1 }),
      400,
      40000,
    );
  });

  describe('another account', () => {
    test('can neither see nor change a session: 40005', async () => {
      await using loan = await borrowConnected(target.api);
      const { api } = await newClient(target);
      const path = `/sessions/${loan.session.session_id}`;
      refused(await api.get(path), 404, 40005);
      refused(await api.get(`${path}/screenshot`), 404, 40005);
      refused(await api.post(`${path}/disconnect`), 404, 40005);
      refused(await api.post(`${path}/extend`, { duration: 1 }), 404, 40005);
      expect(succeeded(await api.get<Page<Session>>('/sessions'))).toMatchObject({ total: 0, items: [] });
      expect(succeeded(await target.api.get<Session>(path)).status).toBe('connected');
    });

    test('can neither see nor install an app: 40006', async () => {
      const upload = (api: LocalTarget['api']) =>
        api.request<App>('POST', '/apps', {
          body: makeApk(),
          headers: { 'content-type': 'application/octet-stream' },
        });
      const app = succeeded(await upload(target.api));
      const { api } = await newClient(target);
      const path = `/apps/${app.id}`;
      refused(await api.get(path), 404, 40006);
      refused(await api.get(`${path}/icon`), 404, 40006);
      refused(await api.request('DELETE', path), 404, 40006);
      expect(succeeded(await api.get<Page<App>>('/apps'))).toMatchObject({ total: 0, items: [] });
      const device = await freeDevice(api);
      refused(await api.post(`/devices/${device.id}/connect`, { app_id: app.id }), 404, 40006);
      await using loan = await borrowConnected(api);
      refused(await api.post(`/sessions/${loan.session.session_id}/apps`, { app_id: app.id }), 404, 40006);
      await using controller = await Controller.ready(loan.session.control_url, target);
      const { error } = await controller.request('app.install', { app_id: app.id });
      expect(error).toMatchObject({ data: { code: 40006 } });
      // For this account, the same bytes are a separate app
      const own = succeeded(await upload(api));
      expect(own.id).not.toBe(app.id);
      expect(succeeded(await target.api.get<App>(path))).toEqual(app);
    });

    test('can use the same idempotency key for a separate session', async () => {
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const ids: string[] = [];
      for (const { api } of [await newClient(target), await newClient(target)]) {
        const session = await until('an available phone', async () => {
          const device = await freeDevice(api);
          const answer = await api.post<Session>(`/devices/${device.id}/connect`, {}, { headers });
          return answer.code !== 40010 && succeeded(answer);
        });
        ids.push(session.session_id);
        succeeded(await api.post(`/sessions/${session.session_id}/disconnect`));
      }
      expect(new Set(ids).size).toBe(2);
    });
  });

  describe('a key', () => {
    test('of a viewer can read, but not borrow: 40003', async () => {
      await using loan = await borrow(target.api);
      const account = succeeded(await target.api.get<Usage>('/usage')).account;
      const { api } = await newClient(target, '--account', account, '--role', 'viewer');
      expect((await listAll(api)).length).toBeGreaterThan(0);
      const path = `/sessions/${loan.session.session_id}`;
      expect(succeeded(await api.get<Session>(path)).session_id).toBe(loan.session.session_id);
      succeeded(await api.get('/usage'));
      refused(await api.post(`/devices/${loan.device.id}/connect`, {}), 403, 40003);
      refused(await api.post('/devices/nobody/connect', { duration: 0 }), 403, 40003);
      refused(await api.post(`${path}/disconnect`), 403, 40003);
      refused(await api.post(`${path}/extend`, { duration: 1 }), 403, 40003);
      refused(await api.post(`${path}/apps`, { app_id: 'any' }), 403, 40003);
      refused(await api.post('/apps'), 403, 40003);
      refused(await api.request('DELETE', '/apps/any'), 403, 40003);
      succeeded(await api.get('/apps'));
    });

    test('that was revoked is rejected with 40001, and its sessions end and their sockets close within 5 s', async () => {
      const { api, keyId } = await newClient(target);
      const { session, device } = await borrowConnected(api);
      await using viewer = await Viewer.open(session.stream_url, target);
      await using controller = await Controller.ready(session.control_url, target);
      await viewer.firstFrame();
      const { code, stdout } = await target.service.command('keys', 'revoke', keyId);
      const revokedAt = performance.now();
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('1 live session') });
      for (const { closed } of [viewer, controller]) {
        const { code: closeCode, reason, at } = await within('the socket to be closed', closed);
        expect({ closeCode, reason }).toEqual({
          closeCode: 4003,
          reason: 'the session was terminated: its key was revoked',
        });
        expect(at - revokedAt).toBeLessThan(promised(5_000));
      }
      expect(controller.notifications.at(-1)).toMatchObject({
        method: 'session.ended',
        params: { reason: 'admin', detail: 'its key was revoked' },
      });
      await until('the key to be refused', async () => (await api.get('/devices')).code === 40001, {
        deadlineMs: promised(5_000),
      });
      const answer = await api.get('/devices');
      refused(answer, 401, 40001);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
      await until(
        'the device to be available again',
        async () => succeeded(await target.api.get<Device>(`/devices/${device.id}`)).status === 'available',
        { deadlineMs: promised(10_000) },
      );
    });

    test('of the same account sees its sessions, so that keys can be rotated', async () => {
      const first = await newClient(target);
      const second = await newClient(target, '--account', first.account);
      await using loan = await borrow(first.api);
      const path = `/sessions/${loan.session.session_id}`;
      expect(succeeded(await second.api.get<Session>(path)).session_id).toBe(loan.session.session_id);
      expect(succeeded(await second.api.post<Session>(`${path}/disconnect`)).end_reason).toBe('client');
    });
  });

  test('serves the sockets on the plain port too', async () => {
    await using loan = await borrowConnected(target.api);
    const origin = target.service.httpOrigin.replace(/^http/, 'ws');
    const { stream_url, control_url } = loan.session;
    await using viewer = await Viewer.open(`${origin}${new URL(stream_url).pathname}`, target);
    await using controller = await Controller.ready(`${origin}${new URL(control_url).pathname}`, target);
    await viewer.firstFrame();
    expect(await controller.call('key', { key: 'HOME' })).toBeNull();
  });
});
