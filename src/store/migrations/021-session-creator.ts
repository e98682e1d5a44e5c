import type { Migration, Vocabulary } from './migration.ts';

const tell = (clock: string) =>
  `insert into events (kind, subject, group_id, at)
    select 'device', d.id, d.group_id, ${clock} from devices d where d.id = new.device_id;`;

/** A device shows when its session ends at the latest, so an extension changes it. */
function tellExtensions({ clock, supportsConcurrentWriters }: Vocabulary): string[] {
  if (!supportsConcurrentWriters) {
    return [
      `create trigger events_sessions_extension after update of expires_at on sessions
       when old.expires_at is not new.expires_at begin ${tell(clock)} end`,
    ];
  }
  return [
    `create function log_extension() returns trigger language plpgsql as $$
     begin
       ${tell(clock)}
       return null;
     end $$`,
    `create trigger events_sessions_extension after update of expires_at on sessions
     for each row when (old.expires_at is distinct from new.expires_at) execute function log_extension()`,
  ];
}

/**
 * creator_id, creator_name: the user of the key that created the session, and the name of the user, or of the key if it has
 * no user. Both are null for a session that a process of an earlier version creates. As in migration 18, the update of
 * the existing sessions writes no events.
 */
export const sessionCreator: Migration = {
  id: 21,
  name: 'session creator',
  minimumCompatibleSchema: 4,
  statements: (vocabulary) => [
    `alter table sessions add column creator_id ${vocabulary.text}`,
    `alter table sessions add column creator_name ${vocabulary.text}`,
    `update sessions set
       creator_id = (select user_id from keys where keys.id = sessions.key_id),
       creator_name = (select coalesce(users.name, keys.name) from keys left join users on users.id = keys.user_id
         where keys.id = sessions.key_id)`,
    ...tellExtensions(vocabulary),
  ],
};
