import type { Migration, Vocabulary } from './migration.ts';

// Only operators see maintenance; most changes of it also change the status
const SHOWN_OF_DEVICE =
  'name brand model os_version screen_size resolution status maintenance group_id'.split(' ');
const SHOWN_OF_SESSION = 'status expires_at app_request app_status app_error minutes_reserved'.split(' ');

const isListed = (row: string) => `${row}.status not in ('offline', 'maintenance')`;
const differ = (columns: string[]) => {
  const list = (row: string) => `(${columns.map((column) => `${row}.${column}`).join(', ')})`;
  return `${list('old')} is distinct from ${list('new')}`;
};

function inFunctions({ clock }: Vocabulary): string[] {
  const tell = (row: 'old' | 'new') =>
    `insert into events (kind, subject, group_id, at) values ('device', ${row}.id, ${row}.group_id, ${clock});`;
  const rowFunction = (name: string, isNews: string, body: string) => `
    create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      if ${isNews} then
        ${body}
      end if;
      return null;
    end $$`;
  return [
    rowFunction(
      'log_change_of_session',
      differ(SHOWN_OF_SESSION),
      `insert into events (kind, subject, account_id, at) values ('session', new.id, new.account_id, ${clock});`,
    ),
    rowFunction(
      'log_change_of_device',
      `(${isListed('old')} or ${isListed('new')}) and ${differ(SHOWN_OF_DEVICE)}`,
      `${tell('new')}
       if old.group_id is distinct from new.group_id then ${tell('old')} end if;`,
    ),
    'drop trigger events_sessions_update on sessions',
    'drop trigger events_devices_update on devices',
    `create trigger events_sessions_update after update of ${SHOWN_OF_SESSION.join(', ')} on sessions
     for each row execute function log_change_of_session()`,
    `create trigger events_devices_update after update of ${SHOWN_OF_DEVICE.join(', ')} on devices
     for each row execute function log_change_of_device()`,
  ];
}

/**
 * Moves the conditions of the triggers that write events into their functions. PostgreSQL parses the condition in
 * `when` again in each statement, which takes longer than evaluating it, and prepares the one in a function once for
 * each connection. Updates of other columns do not execute the functions.
 */
export const triggerConditions: Migration = {
  id: 25,
  name: 'trigger conditions',
  minimumCompatibleSchema: 4,
  statements: (vocabulary) => (vocabulary.supportsConcurrentWriters ? inFunctions(vocabulary) : []),
};
