import { expect, test } from 'vitest';
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
