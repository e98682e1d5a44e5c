import type { Migration, Vocabulary } from './migration.ts';

const SLOTS = 16;

// Only operators see maintenance; most changes of it also change the status
const SHOWN_OF_DEVICE =
  'name brand model os_version screen_size resolution status maintenance group_id'.split(' ');
const SHOWN_OF_SESSION = 'status expires_at app_request app_status app_error minutes_reserved'.split(' ');

const isListed = (row: string) => `${row}.status not in ('offline', 'maintenance')`;
const differ = (columns: string[]) => {
  const list = (row: string) => `(${columns.map((column) => `${row}.${column}`).join(', ')})`;
  return `${list('old')} is distinct from ${list('new')}`;
};

const rowFunction = (name: string, body: string) => `
  create function ${name}() returns trigger language plpgsql as $$
  begin
    ${body}
    return null;
  end $$`;

/**
 * As in the migration of groups, without joining the old and the new rows: a row whose columns did not change adds 1
 * and -1 to the same count. Locks counts in the order of the key, which prevents deadlocks between statements.
 */
function countUpdates(): string {
  const rows = (table: string, n: 1 | -1) =>
    `select id, coalesce(group_id, '') as group_id, brand, os_version, status, ${n} as n from ${table}`;
  const key = 'd.group_id, d.brand, d.os_version, d.status, slot';
  return `create or replace function count_updated_devices() returns trigger language plpgsql as $$
  begin
    insert into device_counts as c (group_id, brand, os_version, status, slot, n)
    select d.group_id, d.brand, d.os_version, d.status, hashtext(d.id) & ${SLOTS - 1} as slot, sum(d.n)
    from (${rows('old_rows', -1)} union all ${rows('new_rows', 1)}) d
    group by ${key}
    having sum(d.n) <> 0
    order by ${key}
    on conflict (group_id, brand, os_version, status, slot) do update set n = c.n + excluded.n;
    return null;
  end $$`;
}

function perRow({ clock }: Vocabulary): string[] {
  const tell = (row: 'old' | 'new') =>
    `insert into events (kind, subject, group_id, at) values ('device', ${row}.id, ${row}.group_id, ${clock});`;
  const isNews = `(${isListed('old')} or ${isListed('new')}) and ${differ(SHOWN_OF_DEVICE)}`;
  return [
    countUpdates(),
    rowFunction(
      'log_session',
      `insert into events (kind, subject, account_id, at) values ('session', new.id, new.account_id, ${clock});`,
    ),
    rowFunction(
      'log_change_of_device',
      `${tell('new')}
       if old.group_id is distinct from new.group_id then ${tell('old')} end if;`,
    ),
    'drop trigger events_devices_update on devices',
    'drop trigger events_sessions_insert on sessions',
    'drop trigger events_sessions_update on sessions',
    `create trigger events_sessions_insert after insert on sessions
     for each row execute function log_session()`,
    `create trigger events_sessions_update after update on sessions
     for each row when (${differ(SHOWN_OF_SESSION)}) execute function log_session()`,
    `create trigger events_devices_update after update on devices
     for each row when (${isNews}) execute function log_change_of_device()`,
  ];
}

/**
 * Writes the events of changed devices and sessions once per row instead of once per statement. Almost every statement
 * changes one row, for which joining the old and the new rows costs more than everything else in the trigger. The
 * counts of devices are still changed once per statement, because each row of a lost host would change the same few
 * counts again, but their function does not join either.
 */
export const triggers: Migration = {
  id: 16,
  name: 'triggers',
  minimumCompatibleSchema: 4,
  statements: (vocabulary) => (vocabulary.supportsConcurrentWriters ? perRow(vocabulary) : []),
};
