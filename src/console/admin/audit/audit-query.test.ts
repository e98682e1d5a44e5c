import { expect, test } from 'vitest';
import { auditQueryOf } from './audit-query.ts';

const NONE = { account: '', action: '', target: '', since: '', until: '' };

test('asks from the beginning of one day to the end of another, in the browser’s own time', () => {
  const { since, until } = auditQueryOf({ ...NONE, since: '2026-11-20', until: '2026-11-30' });
  expect(since).toBe(new Date(2026, 10, 20).toISOString());
  expect(until).toBe(new Date(2026, 11, 1).toISOString());
});

test('leaves out what is no day, and spaces around what was pasted', () => {
  expect(auditQueryOf({ ...NONE, since: 'yesterday', target: ' dev_1 ' })).toEqual({
    account_id: '',
    action: '',
    target: 'dev_1',
    since: '',
    until: '',
  });
});
