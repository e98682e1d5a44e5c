import { type Sql, sql, type Value } from '../engine/engine.ts';

/** What a request says about its session: values, or columns of the row that the session is made from. */
interface Requested {
  id: Value | Sql<unknown>;
  minutes: Value | Sql<unknown>;
  appId: string | null;
  record: Value | Sql<unknown>;
  recordText: Value | Sql<unknown>;
}

/**
 * Inserts sessions for the rows of `granted`, which are joined with the month of their reservation: the start of a
 * statement that continues with `from granted`.
 */
export const insertSession = ({ id, minutes, appId, record, recordText }: Requested): Sql<unknown> => sql`
  insert into sessions (id, device_id, host_id, account_id, key_id, epoch, status, created_at, expires_at,
    app_id, app_status, app_request, month, minutes_reserved, device_name, device_model,
    creator_id, creator_name, record, record_text)
  select ${id}, device_id, host_id, account_id, key_id, epoch + 1, 'connecting', now, now + ${minutes} * 60000,
    ${appId}, ${appId === null ? null : 'pending'}, ${appId === null ? 0 : 1}, month, ${minutes},
    device_name, device_model, user_id,
    coalesce((select name from users where users.id = granted.user_id), key_name),
    coalesce(cast(${record} as integer), record_sessions), ${recordText}`;
