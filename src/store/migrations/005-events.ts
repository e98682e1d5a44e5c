import type { Migration } from './migration.ts';

/** Which inserts, updates or deletes of a table's rows write an event: those that are visible to a client. */
interface Watch {
  table: 'devices' | 'sessions';
  operation: 'insert' | 'update' | 'delete';
  kind: 'device' | 'session';
  /** The column with the account that the event concerns; null: it concerns all accounts. */
  account: string | null;
  /**
   * SQL condition, from the aliases of the old and the new row and the operator that tells whether two lists of
   * columns differ.
   */
  isNews(old: string, now: string, differs: string): string;
}

// Only operators see maintenance; most changes of it also change the status
const SHOWN_OF_DEVICE = 'name brand model os_version screen_size resolution status maintenance'.split(' ');
const SHOWN_OF_SESSION = 'status expires_at app_request app_status app_error minutes_reserved'.split(' ');

const isListed = (row: string) => `${row}.status not in ('offline', 'maintenance')`;
const list = (row: string, columns: string[]) =>
  `(${columns.map((column) => `${row}.${column}`).join(', ')})`;

const device = { table: 'devices', kind: 'device', account: null } as const;
const session = { table: 'sessions', kind: 'session', account: 'account_id' } as const;

const WATCHES: Watch[] = [
  { ...device, operation: 'insert', isNews: (_, now) => isListed(now) },
  { ...device, operation: 'delete', isNews: (old) => isListed(old) },
  {
    ...device,
    operation: 'update',
    isNews: (old, now, differs) =>
      `(${isListed(old)} or ${isListed(now)})
        and ${list(old, SHOWN_OF_DEVICE)} ${differs} ${list(now, SHOWN_OF_DEVICE)}`,
  },
  { ...session, operation: 'insert', isNews: () => '1 = 1' },
  {
    ...session,
    operation: 'update',
    isNews: (old, now, differs) => `${list(old, SHOWN_OF_SESSION)} ${differs} ${list(now, SHOWN_OF_SESSION)}`,
  },
];

const insert = ({ kind, account }: Watch, row: string, clock: string) =>
  `insert into events (kind, subject, account_id, at)
    select '${kind}', ${row}.id, ${account === null ? 'null' : `${row}.${account}`}, ${clock}`;

const perRow = (clock: string) =>
  WATCHES.map((watch) => {
    const { table, operation, isNews } = watch;
    return `create trigger events_${table}_${operation} after ${operation} on ${table}
      when ${isNews('old', 'new', 'is not')}
      begin ${insert(watch, operation === 'delete' ? 'old' : 'new', clock)}; end`;
  });

/** Runs once per statement, because a lost host changes thousands of devices at once. */
const perStatement = (clock: string) =>
  WATCHES.flatMap((watch) => {
    const { table, operation, isNews } = watch;
    const [from, referencing] = {
      insert: ['new_rows n', 'new table as new_rows'],
      update: ['old_rows o join new_rows n using (id)', 'old table as old_rows new table as new_rows'],
      delete: ['old_rows o', 'old table as old_rows'],
    }[operation];
    return [
      `create function log_${operation}_of_${table}() returns trigger language plpgsql as $$
        begin
          ${insert(watch, operation === 'delete' ? 'o' : 'n', clock)}
          from ${from} where ${isNews('o', 'n', 'is distinct from')};
          return null;
        end $$`,
      `create trigger events_${table}_${operation} after ${operation} on ${table}
        referencing ${referencing} for each statement execute function log_${operation}_of_${table}()`,
    ];
  });

/**
 * The event log. An event states that a device or a session changed; the new state is only in its row. Triggers write
 * the events, so that no code that changes a row can omit them. For a database with concurrent writers, `tx` is the
 * transaction that wrote the event, because ids become visible in a different order from the one in which they are
 * allocated. `upto`: events up to this tx, or up to this id where there is no tx, have been deleted from the start of
 * the log.
 */
export const events: Migration = {
  id: 5,
  name: 'events',
  minimumCompatibleSchema: 3,
  statements: ({ text, clock, supportsConcurrentWriters }) => {
    const columns = `kind ${text} not null, subject ${text} not null, account_id ${text}, at bigint not null`;
    return [
      supportsConcurrentWriters
        ? `create table events (
            tx bigint not null default pg_current_xact_id()::text::bigint,
            id bigint not null generated always as identity,
            ${columns},
            primary key (tx, id)
          )`
        : `create table events (id integer primary key autoincrement, ${columns})`,
      'create table events_trimmed (upto bigint not null)',
      'insert into events_trimmed (upto) values (0)',
      ...(supportsConcurrentWriters ? perStatement(clock) : perRow(clock)),
    ];
  },
};
