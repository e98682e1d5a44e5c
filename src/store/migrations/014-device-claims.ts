import type { Migration } from './migration.ts';

/**
 * claimed_by: the host that last reported a device that belongs to another host; claimed_at: when it did. Shown to
 * operators. There is no foreign key, because nothing depends on that host.
 */
export const deviceClaims: Migration = {
  id: 14,
  name: 'device-claims',
  minimumCompatibleSchema: 4,
  statements: ({ text }) => [
    `alter table devices add column claimed_by ${text}`,
    'alter table devices add column claimed_at bigint',
  ],
};
