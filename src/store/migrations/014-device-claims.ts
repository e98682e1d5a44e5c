import type { Migration } from './migration.ts';

/**
 * claimed_by: the host that last reported a device that belongs to another host, and when; it is told to operators. No
 * foreign key: nothing depends on that host.
 */
export const deviceClaims: Migration = {
  id: 14,
  name: 'device-claims',
  livableSince: 4,
  statements: ({ text }) => [
    `alter table devices add column claimed_by ${text}`,
    'alter table devices add column claimed_at bigint',
  ],
};
