import type { Migration } from './migration.ts';

/**
 * battery_percent: as the host of the device reports it; null: not reported. A process of an earlier version does not
 * write it. Its changes are not events, because every phone in use would cause one each few minutes.
 */
export const battery: Migration = {
  id: 22,
  name: 'battery',
  minimumCompatibleSchema: 4,
  statements: () => ['alter table devices add column battery_percent integer'],
};
