import type { Migration } from './migration.ts';

/**
 * Hosts that an operator added. public_key: what the host proves itself to the bus with; none for a host that
 * introduced itself, in the process of the control plane.
 * From here on each step says which older code can live with it.
 */
export const hosts: Migration = {
  id: 4,
  name: 'hosts',
  livableSince: 3,
  statements: ({ text }) => [
    `alter table hosts add column public_key ${text}`,
    'alter table hosts add column created_at bigint',
    'alter table hosts add column revoked_at bigint',
    'alter table migrations add column livable_since integer',
  ],
};
