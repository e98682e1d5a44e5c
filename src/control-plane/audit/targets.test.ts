import { expect, test } from 'vitest';
import { newApiKey } from '../../access/api-key.ts';
import { socketToken } from '../../access/socket-token.ts';
import { identifiersIn } from './targets.ts';

test('names each identifier in a path with its kind', () => {
  expect(identifiersIn({ device_id: 'd1' })).toEqual([{ kind: 'device', id: 'd1' }]);
  expect(identifiersIn({ webhook_id: 'hook_1', delivery_id: 'msg_1' })).toEqual([
    { kind: 'webhook', id: 'hook_1' },
  ]);
  expect(identifiersIn({})).toEqual([]);
});

test('omits values that cannot be identifiers', () => {
  for (const params of [undefined, null, 'text', { device_id: '' }, { device_id: 'x'.repeat(201) }])
    expect(identifiersIn(params)).toEqual([]);
});

test('omits a secret that a client sent in place of an identifier', () => {
  const lease = { purpose: 'recording', sessionId: 'ses_1', epoch: 1 } as const;
  const token = socketToken(Buffer.alloc(32), { ...lease, grantId: 'watch_1' });
  expect(identifiersIn({ session_id: 'ses_1', link_id: token })).toEqual([{ kind: 'session', id: 'ses_1' }]);
  expect(identifiersIn({ key_id: newApiKey() })).toEqual([]);
});
