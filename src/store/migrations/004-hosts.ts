import type { Migration } from './migration.ts';

/**
 * Hosts that an operator registered. public_key: the key with which the host authenticates to the bus; null for a
 * host that registered itself from within the control plane's process.
 * From this migration on, each one records the oldest schema whose code is compatible with it (livable_since).
 */
export const hosts: Migration = {
  id: 4,
  name: 'hosts',
  minimumCompatibleSchema: 3,
  statements: ({ text }) => [
    `alter table hosts add column public_key ${text}`,
    'alter table hosts add column created_at bigint',
    'alter table hosts add column revoked_at bigint',
    'alter table migrations add column livable_since integer',
  ],
};
