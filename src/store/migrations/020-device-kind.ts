import type { Migration } from './migration.ts';

/**
 * platform, kind: as the host of the device reports them. A process of an earlier version does not write them. The next
 * report that a process of this version handles then corrects the defaults. The identifiers of Android phones begin
 * with `and-` (domain/device-kind.ts).
 * capabilities: the control methods that the device supports, separated by spaces; null: not reported.
 */
export const deviceKind: Migration = {
  id: 20,
  name: 'device kind',
  minimumCompatibleSchema: 4,
  statements: ({ text }) => [
    `alter table devices add column platform ${text} not null default 'android'`,
    `alter table devices add column kind ${text} not null default 'simulated'`,
    `alter table devices add column capabilities ${text}`,
    `update devices set kind = 'physical' where id like 'and-%'`,
  ],
};
