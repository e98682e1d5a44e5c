import { expect, test } from 'vitest';
import { auditTargets } from './targets.ts';

test('what the path names comes first, then what the answer does, two at the most', () => {
  const session = { session_id: 's1', device_id: 'd1', app_id: 'a1' };
  expect(
    auditTargets('devices.connect', { params: { device_id: 'd1' }, body: { app_id: 'a1' }, data: session }),
  ).toEqual([
    { kind: 'device', id: 'd1' },
    { kind: 'session', id: 's1' },
  ]);
  expect(auditTargets('sessions.disconnect', { params: { session_id: 's1' }, data: session })).toEqual([
    { kind: 'session', id: 's1' },
    { kind: 'device', id: 'd1' },
  ]);
});

test('what an operation makes is known by its id', () => {
  expect(auditTargets('keys.create', { data: { id: 'key_1', key: 'pb_secret' } })).toEqual([
    { kind: 'key', id: 'key_1' },
  ]);
  expect(
    auditTargets('admin.accounts.keys.create', { params: { account_id: 'acc_1' }, data: { id: 'key_1' } }),
  ).toEqual([
    { kind: 'account', id: 'acc_1' },
    { kind: 'key', id: 'key_1' },
  ]);
});

test('a refusal has what the path names, unless that is no identifier', () => {
  expect(auditTargets('keys.create', { params: {} })).toEqual([]);
  expect(auditTargets('devices.connect', { params: { device_id: 'd1' } })).toEqual([
    { kind: 'device', id: 'd1' },
  ]);
  expect(auditTargets('devices.connect', { params: { device_id: 'x'.repeat(201) } })).toEqual([]);
  expect(auditTargets('devices.connect', { params: { device_id: '' }, data: null })).toEqual([]);
});

test('a phone that is moved is named with the group that it was moved into', () => {
  const params = { device_id: 'd1' };
  const move = (body: unknown) => auditTargets('admin.devices.update', { params, body, data: { id: 'd1' } });
  expect(move({ group_id: 'grp_1' })).toEqual([
    { kind: 'device', id: 'd1' },
    { kind: 'group', id: 'grp_1' },
  ]);
  for (const body of [{ name: 'New' }, { group_id: null }, { group_id: 5 }, [], 'text'])
    expect(move(body)).toEqual([{ kind: 'device', id: 'd1' }]);
});
