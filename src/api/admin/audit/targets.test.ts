import { expect, test } from 'vitest';
import { identifiersIn } from './targets.ts';

test('the identifiers in a path are named with their kind', () => {
  expect(identifiersIn({ device_id: 'd1' })).toEqual([{ kind: 'device', id: 'd1' }]);
  expect(identifiersIn({ webhook_id: 'hook_1', delivery_id: 'msg_1' })).toEqual([
    { kind: 'webhook', id: 'hook_1' },
  ]);
  expect(identifiersIn({})).toEqual([]);
});

test('what cannot be an identifier is left out', () => {
  for (const params of [undefined, null, 'text', { device_id: '' }, { device_id: 'x'.repeat(201) }])
    expect(identifiersIn(params)).toEqual([]);
});
