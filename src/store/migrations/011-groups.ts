import type { Migration, Vocabulary } from './migration.ts';

const SLOTS = 16;

// Only operators see maintenance; most changes of it also change the status
const SHOWN = 'name brand model os_version screen_size resolution status maintenance group_id'.split(' ');
const shown = (row: string) => `(${SHOWN.map((column) => `${row}.${column}`).join(', ')})`;
const isListed = (row: string) => `${row}.status not in ('offline', 'maintenance')`;
const isNews = (old: string, now: string, differs: string) =>
  `(${isListed(old)} or ${isListed(now)}) and ${shown(old)} ${differs} ${shown(now)}`;

/** The columns by which devices are counted. */
const COUNTED = ['brand', 'os_version', 'status', 'group_id'];
const counted = (row: string) => `(${COUNTED.map((column) => `${row}.${column}`).join(', ')})`;

const count = (row: 'old' | 'new', n: 1 | -1) => `
  insert into device_counts (group_id, brand, os_version, status, slot, n)
  values (coalesce(${row}.group_id, ''), ${row}.brand, ${row}.os_version, ${row}.status, 0, ${n})
  on conflict (group_id, brand, os_version, status, slot) do update set n = n + excluded.n;`;

const tell = (row: 'old' | 'new', clock: string) => `
  insert into events (kind, subject, group_id, at) values ('device', ${row}.id, ${row}.group_id, ${clock});`;

const tellAccount = (row: string, clock: string) =>
  `insert into events (kind, subject, account_id, at) select 'session', '', ${row}.account_id, ${clock}`;

function perRow({ clock }: Vocabulary): string[] {
  const news = isNews('old', 'new', 'is not');
  return [
    `create trigger devices_counted_insert after insert on devices begin ${count('new', 1)} end`,
    `create trigger devices_counted_delete after delete on devices begin ${count('old', -1)} end`,
    `create trigger devices_counted_update after update of ${COUNTED.join(', ')} on devices
     when ${counted('old')} is not ${counted('new')} begin ${count('old', -1)} ${count('new', 1)} end`,
    `create trigger events_devices_insert after insert on devices when ${isListed('new')}
     begin ${tell('new', clock)} end`,
    `create trigger events_devices_delete after delete on devices when ${isListed('old')}
     begin ${tell('old', clock)} end`,
    `create trigger events_devices_update after update on devices when ${news} begin ${tell('new', clock)} end`,
    `create trigger events_devices_left_group after update of group_id on devices
     when ${news} and old.group_id is not new.group_id begin ${tell('old', clock)} end`,
    ...(['insert', 'delete'] as const).map(
      (operation) => `create trigger events_group_accounts_${operation} after ${operation} on group_accounts
        begin ${tellAccount(operation === 'insert' ? 'new' : 'old', clock)}; end`,
    ),
  ];
}

/**
 * As in the migrations that created these functions, with groups added. They run once per statement, and joins of
 * rows use hashing.
 */
const triggerFunction = (name: string, body: string) => `
  create or replace function ${name}() returns trigger language plpgsql
  ${name.includes('update') ? 'set enable_nestloop = off' : ''} as $$
  begin
    ${body};
    return null;
  end $$`;

/** Locks counts in the order of the key, which prevents deadlocks between statements. */
const counting = (deltas: string) => `
    insert into device_counts as c (group_id, brand, os_version, status, slot, n)
    select d.group_id, d.brand, d.os_version, d.status, hashtext(d.id) & ${SLOTS - 1} as slot, sum(d.n)
    from (${deltas}) d
    group by d.group_id, d.brand, d.os_version, d.status, slot
    having sum(d.n) <> 0
    order by d.group_id, d.brand, d.os_version, d.status, slot
    on conflict (group_id, brand, os_version, status, slot) do update set n = c.n + excluded.n`;

const delta = (row: string, n: 1 | -1, from: string) =>
  `select id, coalesce(${row}.group_id, '') as group_id, ${row}.brand, ${row}.os_version, ${row}.status, ${n} as n ${from}`;

const logged = (row: string, from: string, clock: string) =>
  `insert into events (kind, subject, group_id, at) select 'device', ${row}.id, ${row}.group_id, ${clock} ${from}`;

function perStatement({ clock }: Vocabulary): string[] {
  const joined = 'from old_rows o join new_rows n using (id)';
  const recounted = `${joined} where ${counted('o')} is distinct from ${counted('n')}`;
  const news = `${joined} where ${isNews('o', 'n', 'is distinct from')}`;
  const functions = {
    count_inserted_devices: counting(delta('n', 1, 'from new_rows n')),
    count_deleted_devices: counting(delta('o', -1, 'from old_rows o')),
    count_updated_devices: counting(`${delta('o', -1, recounted)} union all ${delta('n', 1, recounted)}`),
    log_insert_of_devices: logged('n', `from new_rows n where ${isListed('n')}`, clock),
    log_delete_of_devices: logged('o', `from old_rows o where ${isListed('o')}`, clock),
    log_update_of_devices: `${logged('n', news, clock)};
      ${logged('o', `${news} and o.group_id is distinct from n.group_id`, clock)}`,
    log_insert_of_group_accounts: `${tellAccount('g', clock)} from new_rows g`,
    log_delete_of_group_accounts: `${tellAccount('g', clock)} from old_rows g`,
  };
  const trigger = (operation: 'insert' | 'delete', rows: 'new' | 'old') => `
    create trigger events_group_accounts_${operation} after ${operation} on group_accounts
    referencing ${rows} table as ${rows}_rows for each statement
    execute function log_${operation}_of_group_accounts()`;
  return [
    ...Object.entries(functions).map(([name, body]) => triggerFunction(name, body)),
    trigger('insert', 'new'),
    trigger('delete', 'old'),
  ];
}

/** All triggers that are recreated. They would otherwise block the replacement of the table of counts. */
const OLD_TRIGGERS = ['devices_counted', 'events_devices'].flatMap((name) =>
  ['insert', 'delete', 'update'].map((operation) => `drop trigger ${name}_${operation}`),
);

/**
 * Adds the group to each count, '' for devices in no group. It is the first column of the key, so that a list sums
 * only the counts of the groups that it shows.
 */
function countByGroup({ text, supportsConcurrentWriters }: Vocabulary): string[] {
  const key = 'primary key (group_id, brand, os_version, status, slot)';
  if (supportsConcurrentWriters) {
    return [
      `alter table device_counts add column group_id ${text} not null default ''`,
      'alter table device_counts drop constraint device_counts_pkey',
      `alter table device_counts add ${key}`,
    ];
  }
  return [
    ...OLD_TRIGGERS,
    'alter table device_counts rename to ungrouped_counts',
    `create table device_counts (
      group_id ${text} not null, brand ${text} not null, os_version ${text} not null, status ${text} not null,
      slot integer not null, n bigint not null, ${key}
    )`,
    `insert into device_counts select '', brand, os_version, status, slot, n from ungrouped_counts`,
    'drop table ungrouped_counts',
  ];
}

/** The columns by which lists filter and sort, as before, with the group added. */
const LISTED = `where status not in ('offline', 'maintenance')`;
const INDEXES = {
  devices_listed: `(id, os_version, status, group_id) ${LISTED}`,
  devices_by_brand: `(brand, id, os_version, status, group_id) ${LISTED}`,
  devices_by_status: '(status, id, os_version, group_id)',
  devices_by_brand_status: '(brand, status, id, os_version, group_id)',
};

/**
 * Device groups, and the accounts to which they are visible. A device without a group is visible to every account.
 * Events state whom they concern: events.group_id is the group of the device; a second event names the group that the
 * device left. A session event with an empty subject informs its account that the set of visible devices changed;
 * older code ignores it.
 */
export const groups: Migration = {
  id: 11,
  name: 'groups',
  minimumCompatibleSchema: 4,
  statements: (vocabulary) => [
    `create table device_groups (
      id ${vocabulary.text} primary key,
      name ${vocabulary.text} not null unique,
      created_at bigint not null
    )`,
    `create table group_accounts (
      account_id ${vocabulary.text} not null references accounts (id) on delete cascade,
      group_id ${vocabulary.text} not null references device_groups (id) on delete cascade,
      primary key (account_id, group_id)
    )`,
    'create index accounts_of_group on group_accounts (group_id, account_id)',
    `alter table devices add column group_id ${vocabulary.text} references device_groups (id)`,
    'create index devices_of_group on devices (group_id, id) where group_id is not null',
    `alter table events add column group_id ${vocabulary.text}`,
    ...Object.entries(INDEXES).flatMap(([name, columns]) => [
      `drop index ${name}`,
      `create index ${name} on devices ${columns}`,
    ]),
    ...countByGroup(vocabulary),
    ...(vocabulary.supportsConcurrentWriters ? perStatement(vocabulary) : perRow(vocabulary)),
  ],
};
