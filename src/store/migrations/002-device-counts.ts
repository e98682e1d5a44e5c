import type { Migration } from './migration.ts';

const SLOTS = 16;

const add = (row: 'old' | 'new', n: 1 | -1) => `
  insert into device_counts (brand, os_version, status, slot, n)
  values (${row}.brand, ${row}.os_version, ${row}.status, 0, ${n})
  on conflict (brand, os_version, status, slot) do update set n = n + excluded.n;`;

const perRow = [
  `create trigger devices_counted_insert after insert on devices begin ${add('new', 1)} end`,
  `create trigger devices_counted_delete after delete on devices begin ${add('old', -1)} end`,
  `create trigger devices_counted_update after update of brand, os_version, status on devices
   when (old.brand, old.os_version, old.status) is not (new.brand, new.os_version, new.status)
   begin ${add('old', -1)} ${add('new', 1)} end`,
];

// Runs once per statement and locks counts in the order of the key, which prevents deadlocks between statements.
// hashtext() may change with a major version of PostgreSQL: that moves devices between slots, but leaves every sum
// unchanged.
const count = (deltas: string) => `returns trigger language plpgsql as $$
  begin
    insert into device_counts as c (brand, os_version, status, slot, n)
    select d.brand, d.os_version, d.status, hashtext(d.id) & ${SLOTS - 1} as slot, sum(d.n)
    from (${deltas}) d
    group by d.brand, d.os_version, d.status, slot
    having sum(d.n) <> 0
    order by d.brand, d.os_version, d.status, slot
    on conflict (brand, os_version, status, slot) do update set n = c.n + excluded.n;
    return null;
  end $$`;

const changed = `from old_rows o join new_rows n using (id)
  where (o.brand, o.os_version, o.status) <> (n.brand, n.os_version, n.status)`;

const perStatement = [
  `create function count_inserted_devices()
   ${count('select id, brand, os_version, status, 1 as n from new_rows')}`,
  `create function count_deleted_devices()
   ${count('select id, brand, os_version, status, -1 as n from old_rows')}`,
  `create function count_updated_devices()
   ${count(`select id, o.brand, o.os_version, o.status, -1 as n ${changed}
     union all select id, n.brand, n.os_version, n.status, 1 ${changed}`)}`,
  `create trigger devices_counted_insert after insert on devices
   referencing new table as new_rows for each statement execute function count_inserted_devices()`,
  `create trigger devices_counted_delete after delete on devices
   referencing old table as old_rows for each statement execute function count_deleted_devices()`,
  `create trigger devices_counted_update after update on devices
   referencing old table as old_rows new table as new_rows for each statement
   execute function count_updated_devices()`,
];

/**
 * Number of devices of each brand, OS version and status, maintained by triggers. The `total` of a list then reads a
 * few rows, whereas counting 100,000 devices costs more than everything else in the list.
 * A count is the sum over its slots, over which concurrent writers spread to avoid contention for one row. A single
 * slot may be below 0.
 */
export const deviceCounts: Migration = {
  id: 2,
  name: 'device-counts',
  minimumCompatibleSchema: 1,
  statements: ({ text, hotTable, supportsConcurrentWriters }) => [
    `create table device_counts (
      brand ${text} not null,
      os_version ${text} not null,
      status ${text} not null,
      slot integer not null,
      n bigint not null,
      primary key (brand, os_version, status, slot)
    ) ${hotTable}`,
    ...(supportsConcurrentWriters ? perStatement : perRow),
  ],
};
