import { describe, expect, test } from 'vitest';
import { type Page, refused, refusedField, succeeded } from '../black-box/kit/api.ts';
import { borrow, freeDevice } from '../black-box/kit/borrow.ts';
import { useLocalTarget as localTarget } from '../black-box/kit/target.ts';
import { until } from '../black-box/kit/wait.ts';
import { refusal } from '../gateway/client.ts';
import { startApiRig } from './api-rig.ts';
import { newClient } from './kit/clients.ts';

const target = localTarget('the embedded store');

interface Entry {
  id: string;
  at: string;
  account: { id: string; name: string } | null;
  key: { id: string; prefix: string } | null;
  action: string;
  address: string | null;
  code: number;
  count: number;
  targets: { kind: string; id: string }[];
}

const audit = async (query: string) => succeeded(await target.api.get<Page<Entry>>(`/admin/audit?${query}`));
const refusedKey = async (key: string) => {
  const answer = await target.api.withKey(key).get('/devices');
  return answer.status === 401 && answer;
};
const brief = ({ action, code }: Entry) => `${action} ${code}`;

describe('the audit trail', () => {
  test('records an action before it is answered, and a rejected request', async () => {
    const client = await newClient(target.api);
    const loan = await borrow(client.api);
    const { session_id, device_id } = loan.session;
    const by = `account_id=${client.accountId}`;
    const [connected] = (await audit(`${by}&action=devices.connect`)).items.filter(({ code }) => code === 0);
    expect(connected).toMatchObject({
      account: { id: client.accountId, name: client.account },
      key: { id: client.keyId, prefix: client.key.slice(0, 8) },
      address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
      targets: [
        { kind: 'device', id: device_id, name: loan.device.name },
        { kind: 'session', id: session_id, name: loan.device.name },
      ],
    });
    expect(Math.abs(Date.parse(connected!.at) - Date.now())).toBeLessThan(60_000);
    refused(await client.api.post(`/devices/${device_id}/connect`), 409, 40010);
    refused(await client.api.post(`/sessions/${session_id}/extend`, { duration: 0 }), 400, 40000);
    refused(await client.api.post('/admin/accounts', { name: 'x' }), 403, 40003);
    await loan[Symbol.asyncDispose]();
    await client.api.get('/devices');
    expect((await audit(by)).items.slice(0, 4).map(brief)).toEqual([
      'sessions.disconnect 0',
      'admin.accounts.create 40003',
      'sessions.extend 40000',
      'devices.connect 40010',
    ]);
    const about = await audit(`target=${session_id}`);
    expect(about.items.map(brief)).toEqual([
      'sessions.disconnect 0',
      'sessions.extend 40000',
      'devices.connect 0',
    ]);
    expect((await audit(`target=${device_id}&${by}`)).items.map(({ action }) => action)).toContain(
      'sessions.disconnect',
    );
  });

  test('records a borrow that was answered with a stream once it is finished', async () => {
    const client = await newClient(target.api);
    const response = await fetch(`${target.service.baseUrl}/sessions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${client.key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ duration: 1, wait: 60 }),
      signal: AbortSignal.timeout(70_000),
    });
    const stream = await response.text();
    const { session_id } = JSON.parse(
      stream.slice(stream.indexOf('data: {"session_id"') + 6).split('\n', 1)[0]!,
    );
    const entry = await until('the audit entry', async () => (await audit(`target=${session_id}`)).items[0]);
    expect(entry).toMatchObject({ action: 'sessions.borrow', code: 0, account: { id: client.accountId } });
    succeeded(await client.api.post(`/sessions/${session_id}/disconnect`));
  });

  test('records what operators create and change, without secrets', async () => {
    const client = await newClient(target.api);
    await target.api.request('PATCH', `/admin/accounts/${client.accountId}`, { body: { max_sessions: 1 } });
    const answer = await target.api.get<Page<Entry>>(`/admin/audit?target=${client.accountId}`);
    const { items } = succeeded(answer);
    expect(items.map(({ action, targets }) => ({ action, kinds: targets.map(({ kind }) => kind) }))).toEqual([
      { action: 'admin.accounts.update', kinds: ['account'] },
      { action: 'admin.accounts.keys.create', kinds: ['account', 'key'] },
      { action: 'admin.accounts.create', kinds: ['account'] },
    ]);
    expect(items[1]!.targets[1]!.id).toBe(client.keyId);
    expect(answer.bytes.toString()).not.toContain(client.key);
  });

  test('records the operator, the device and the host of a move', async () => {
    await using rig = await startApiRig();
    await rig.report({ id: 'phone-1' });
    await rig.store.reportHost({ hostId: 'host-2', hostName: 'rack', complete: true, phones: [] });
    const operator = await rig.key('operators', 'admin');
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${rig.baseUrl}/admin/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${operator.key}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await answer.json()) as { code: number; data: Page<Entry> };
    };
    const move = (host_id: string) => ask('PATCH', 'devices/phone-1', { host_id });
    expect(await move('host-9')).toMatchObject({ code: 40000 });
    expect(await move('host-2')).toMatchObject({ code: 0 });
    // The trail can be searched by either of the two
    for (const target of ['phone-1', 'host-2']) {
      const { data } = await ask('GET', `audit?target=${target}`);
      expect(data.items[0]).toMatchObject({
        action: 'admin.devices.update',
        code: 0,
        account: { id: operator.accountId, name: 'operators' },
        key: { id: operator.keyId },
        address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
        targets: [
          { kind: 'device', id: 'phone-1' },
          { kind: 'host', id: 'host-2', name: expect.any(String) },
        ],
      });
    }
    const { data } = await ask('GET', 'audit?target=phone-1');
    expect(data.items.map(brief)).toEqual(['admin.devices.update 0', 'admin.devices.update 40000']);
  });

  test('records commands of the command line without an account or an address', async () => {
    const account = `cli-${crypto.randomUUID().slice(0, 8)}`;
    const command = async (...args: string[]) => {
      const { code, stdout, stderr } = await target.service.command(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    const made = JSON.parse(
      await command('keys', 'create', '--account', account, '--sessions', 'unlimited', '--json'),
    );
    const { id, key, account: owner } = made as { id: string; key: string; account: { id: string } };
    expect(await command('accounts', 'set', account, '--minutes', '9', '--disable')).toMatch(
      new RegExp(`${account} +0 of 9 +0 of unlimited +0 of 20480 +0 of 20480 +off +disabled +${owner.id}`),
    );
    refused(await until('the key to be refused', () => refusedKey(key)), 401, 40001);
    await command('accounts', 'set', account, '--enable', '--minutes', 'unlimited');
    expect(await command('accounts', 'list')).toMatch(new RegExp(`${account} +0 of unlimited .* enabled`));
    await command('keys', 'revoke', id);
    const nobody = await target.service.command('accounts', 'set', 'nobody', '--enable');
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('phonebooth accounts list') });
    const { items } = await audit(`target=${owner.id}`);
    expect(items.map(brief)).toEqual(['cli.accounts.set 0', 'cli.accounts.set 0', 'cli.keys.create 0']);
    expect(items[0]).toMatchObject({ account: null, key: null, address: null });
    expect((await audit(`target=${id}`)).items.map(brief)).toEqual([
      'cli.keys.revoke 0',
      'cli.keys.create 0',
    ]);
  });

  test('counts WebSocket upgrades with an invalid token by address', async () => {
    const { httpOrigin } = target.service;
    for (let n = 0; n < 3; n += 1) {
      expect(await refusal(`${httpOrigin.replace('http', 'ws')}/stream/guess_${n}/none`)).toMatchObject({
        body: { code: 40005 },
      });
    }
    await until('the upgrades to be recorded in the audit trail', async () => {
      const [entry] = (await audit('action=sockets.open')).items;
      return entry?.code === 40001 && entry.count === 3;
    });
  });

  test('counts requests with an invalid key by address and operation, without the key', async () => {
    const guess = `pb_${'guess'.repeat(8)}`;
    for (let tries = 0; tries < 5; tries += 1) {
      refused(await target.api.withKey(guess).post('/devices/any/connect'), 401, 40001);
      refused(await target.api.get('/devices', { key: null }), 401, 40001);
    }
    const answer = await target.api.get<Page<Entry>>('/admin/audit?page_size=100');
    const failed = succeeded(answer).items.filter(
      ({ action, code }) => code === 40001 && action !== 'sockets.open',
    );
    const actions = new Set(failed.map(({ action }) => action));
    expect(actions).toEqual(new Set(['devices.connect', 'devices.list']));
    // One entry of each kind, or two if a minute boundary falls in between
    expect(failed.length).toBeLessThanOrEqual(4);
    expect(failed[0]).toMatchObject({ account: null, key: null, address: expect.any(String) });
    expect(answer.bytes.toString()).not.toContain('guess');
  });

  test('combines rejected requests of one key into one entry per minute with a count', async () => {
    const client = await newClient(target.api);
    const viewer = succeeded(
      await client.api.post<{ key: string }>('/keys', { name: 'looks', role: 'viewer' }),
    );
    const api = target.api.withKey(viewer.key);
    for (let at = 0; at < 200; at += 20) {
      await Promise.all(Array.from({ length: 20 }, () => api.post('/devices/any/connect')));
    }
    const entries = async () =>
      (await audit(`account_id=${client.accountId}&action=devices.connect`)).items.filter(
        ({ code }) => code === 40003,
      );
    const counted = await until('the count to be written', async () => {
      const found = await entries();
      return found.reduce((sum, { count }) => sum + count, 0) === 200 && found;
    });
    expect(counted.length).toBeLessThanOrEqual(2);
  });

  test('is exported completely as JSON lines, newest first', async () => {
    const client = await newClient(target.api);
    const url = 'https://example.com/';
    const { id } = succeeded(await client.api.post<{ id: string }>('/webhooks', { url }));
    for (let at = 0; at < 520; at += 20) {
      const change = (description: string) =>
        client.api.request('PATCH', `/webhooks/${id}`, { body: { description } });
      await Promise.all(Array.from({ length: 20 }, (_, index) => change(`${at + index}`)));
    }
    const query = `account_id=${client.accountId}&action=webhooks.update`;
    const byQuery = await target.api.get(`/admin/audit?${query}&format=jsonl`);
    const byHeader = await target.api.get(`/admin/audit?${query}`, {
      headers: { accept: 'application/jsonl' },
    });
    for (const { headers, bytes } of [byQuery, byHeader]) {
      expect(headers['content-type']).toBe('application/jsonl');
      const text = bytes.toString();
      expect(text.endsWith('\n')).toBe(true);
      const entries = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Entry);
      expect(entries).toHaveLength(520);
      expect(entries.map(({ at }) => at)).toEqual(
        entries
          .map(({ at }) => at)
          .sort()
          .reverse(),
      );
    }
    expect(byQuery.bytes).toEqual(byHeader.bytes);
    expect((await audit(query)).total).toBe(520);
    const none = await target.api.get(
      `/admin/audit?account_id=${client.accountId}&action=nothing&format=jsonl`,
    );
    expect({ status: none.status, length: none.bytes.length }).toEqual({ status: 200, length: 0 });
  });

  test('rejects invalid times', async () => {
    const { items } = await audit('page_size=1');
    const at = encodeURIComponent(items[0]!.at);
    expect((await audit(`since=${at}`)).total).toBeGreaterThan(0);
    expect((await audit(`since=${at}&until=${at}`)).total).toBe(0);
    expect((await audit('since=&until=&action=&target=&account_id=&format=')).total).toBeGreaterThan(0);
    for (const since of ['yesterday', '2026-01-01', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00']) {
      refusedField(await target.api.get(`/admin/audit?since=${since}`), 'query.since');
    }
    refusedField(await target.api.get('/admin/audit?format=csv'), 'query.format');
  });

  test('contains every answered request after a crash', async () => {
    const { id } = await freeDevice(target.api);
    const name = `before-${crypto.randomUUID()}`;
    succeeded(await target.api.request('PATCH', `/admin/devices/${id}`, { body: { name } }));
    await target.service.kill9();
    await target.service.restart();
    const { items } = await audit(`target=${encodeURIComponent(id)}&action=admin.devices.update`);
    expect(items.map(brief)).toEqual(['admin.devices.update 0']);
  });
});
