import { expect, test } from 'vitest';
import { auditQueryOf } from './audit-query.ts';

const NONE = { account: '', action: '', target: '', since: '', until: '' };

test('queries from the start of one day to the end of another in the browser’s time zone', () => {
  const { since, until } = auditQueryOf({ ...NONE, since: '2026-11-20', until: '2026-11-30' });
  expect(since).toBe(new Date(2026, 10, 20).toISOString());
  expect(until).toBe(new Date(2026, 11, 1).toISOString());
});

test('ignores invalid days and trims pasted values', () => {
  expect(auditQueryOf({ ...NONE, since: 'yesterday', target: ' dev_1 ' })).toEqual({
    account_id: '',
    action: '',
    target: 'dev_1',
    since: '',
    until: '',
  });
});
