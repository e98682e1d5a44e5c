import { expect, test } from 'vitest';
import { auditTargets } from './targets.ts';

test('what the path names comes first, then what the answer does, two at the most', () => {
  const session = { session_id: 's1', device_id: 'd1', app_id: 'a1' };
  expect(auditTargets('devices.connect', { device_id: 'd1' }, session)).toEqual([
    { kind: 'device', id: 'd1' },
    { kind: 'session', id: 's1' },
  ]);
  expect(auditTargets('sessions.disconnect', { session_id: 's1' }, session)).toEqual([
    { kind: 'session', id: 's1' },
    { kind: 'device', id: 'd1' },
  ]);
});

test('what an operation makes is known by its id', () => {
  expect(auditTargets('keys.create', {}, { id: 'key_1', key: 'pb_secret' })).toEqual([
    { kind: 'key', id: 'key_1' },
  ]);
  expect(auditTargets('admin.accounts.keys.create', { account_id: 'acc_1' }, { id: 'key_1' })).toEqual([
    { kind: 'account', id: 'acc_1' },
    { kind: 'key', id: 'key_1' },
  ]);
});

test('a refusal has what the path names, unless that is no identifier', () => {
  expect(auditTargets('keys.create', {}, undefined)).toEqual([]);
  expect(auditTargets('devices.connect', { device_id: 'd1' }, undefined)).toEqual([
    { kind: 'device', id: 'd1' },
  ]);
  expect(auditTargets('devices.connect', { device_id: 'x'.repeat(201) }, undefined)).toEqual([]);
  expect(auditTargets('devices.connect', { device_id: '' }, null)).toEqual([]);
});
