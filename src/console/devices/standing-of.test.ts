import { expect, test } from 'vitest';
import { standingOf } from './standing-of.ts';

const until = '2026-11-23T14:30:00.000Z';
const busy = { status: 'busy', free_at: until } as const;
const session = (created_by: { user_id: string | null; name: string } | null) => ({
  created_by,
  expires_at: until,
});
const ada = { id: 'usr_ada', name: 'Ada', email: null };

test('a phone without a session of the account is available, or busy until the latest end of its session', () => {
  expect(standingOf({ status: 'available', free_at: null }, undefined, ada)).toEqual({ state: 'available' });
  expect(standingOf(busy, undefined, ada)).toEqual({ state: 'busy', until });
  expect(standingOf({ ...busy, free_at: null }, undefined, ada)).toEqual({ state: 'busy', until: null });
});

test('names another user or key of the account, and not the own user', () => {
  const by = (created_by: Parameters<typeof session>[0], user: typeof ada | null) =>
    standingOf(busy, session(created_by), user);
  expect(by({ user_id: 'usr_ada', name: 'Ada' }, ada)).toEqual({ state: 'yours', until });
  expect(by({ user_id: 'usr_bob', name: 'Bob' }, ada)).toEqual({ state: 'colleague', name: 'Bob', until });
  expect(by({ user_id: null, name: 'CI' }, ada)).toEqual({ state: 'colleague', name: 'CI', until });
  expect(by({ user_id: 'usr_bob', name: 'Bob' }, null)).toEqual({ state: 'colleague', name: 'Bob', until });
});

test('keys without a user share the phones of their account', () => {
  expect(standingOf(busy, session({ user_id: null, name: 'CI' }), null)).toEqual({ state: 'yours', until });
  expect(standingOf(busy, session(null), ada)).toEqual({ state: 'yours', until });
});
