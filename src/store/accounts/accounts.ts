import type { AccountUsage } from '../../contract/http/usage.ts';
import { monthOf, resetsAt } from '../../domain/month.ts';
import { appStorageOf } from '../apps/app-storage.ts';
import { type Engine, first, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { AccountRow, NewAccount, Timestamp } from '../entities.ts';
import { newId } from '../new-id.ts';
import { accountRow, flagOf } from '../rows.ts';

export async function getAccountByName(engine: Engine, name: string): Promise<AccountRow | null> {
  const [row] = await engine.run(sql<Tables['accounts']>`select * from accounts where name = ${name}`);
  return row ? accountRow(row) : null;
}

/** Returns nothing when the name is taken. */
export function* insertAccount(
  account: NewAccount,
  now: Timestamp,
): Transaction<Tables['accounts'] | undefined> {
  const { name, quotaMinutes, maxSessions, maxAppBytes = null } = account;
  const { recordSessions = false, maxArtifactBytes = null, artifactDays = null } = account;
  return yield* first(
    sql<Tables['accounts']>`
      insert into accounts (id, name, quota_minutes, max_sessions, max_app_bytes,
        record_sessions, max_artifact_bytes, artifact_days, created_at)
      values (${newId('acc')}, ${name}, ${quotaMinutes}, ${maxSessions}, ${maxAppBytes},
        ${flagOf(recordSessions)}, ${maxArtifactBytes}, ${artifactDays}, ${now})
      on conflict (name) do nothing
      returning *`,
  );
}

export function* findOrCreateAccount(account: NewAccount, now: Timestamp): Transaction<Tables['accounts']> {
  const made = yield* insertAccount(account, now);
  if (made) return made;
  const found = yield* first(sql<Tables['accounts']>`select * from accounts where name = ${account.name}`);
  return found!;
}

/** Minutes of an account that are charged to a month or reserved in it. */
export function* usedMinutes(accountId: string, month: string): Transaction<number> {
  const row = yield* first(
    sql<{ minutes: number }>`select minutes from usage where account_id = ${accountId} and month = ${month}`,
  );
  return row?.minutes ?? 0;
}

type ReadAccount = Pick<
  Tables['accounts'],
  'name' | 'quota_minutes' | 'max_sessions' | 'record_sessions' | 'max_artifact_bytes' | 'artifact_bytes'
>;

interface Spent {
  /**
   * `used`: minutes charged or reserved in the month; `reserved`: the reserved part of them; `live`: number of live
   * sessions.
   */
  used: number;
  reserved: number;
  live: number;
}

/**
 * A single statement reads one snapshot, so that a session that starts concurrently is in all of the numbers or in
 * none.
 */
export async function getUsage(engine: Engine, accountId: string): Promise<AccountUsage | null> {
  return engine.transact(function* (now): Transaction<AccountUsage | null> {
    const month = monthOf(now);
    // Of a session that started in another month, only minutes of later extensions can be refunded to this month
    const account = yield* first(
      sql<ReadAccount & Spent>`
        select a.name, a.quota_minutes, a.max_sessions, a.record_sessions, a.max_artifact_bytes, a.artifact_bytes,
          coalesce(u.minutes, 0) as used, count(s.id) as live,
          cast(coalesce(sum(case when s.month = ${month} then s.minutes_reserved - s.minutes_next_month
            else s.minutes_next_month end), 0) as bigint) as reserved
        from accounts a
        left join usage u on u.account_id = a.id and u.month = ${month}
        left join sessions s on s.account_id = a.id and s.status <> 'disconnected'
        where a.id = ${accountId}
        group by a.name, a.quota_minutes, a.max_sessions, a.record_sessions, a.max_artifact_bytes, a.artifact_bytes,
          u.minutes`,
    );
    if (!account) return null;
    const appBytes = yield* appStorageOf(accountId);
    const { used, reserved, live } = account;
    const limit = account.quota_minutes;
    return {
      account: account.name,
      month,
      resets_at: resetsAt(month),
      minutes: { limit, used, reserved, remaining: limit === null ? null : Math.max(0, limit - used) },
      sessions: { limit: account.max_sessions, live },
      app_bytes: appBytes,
      artifact_bytes: { limit: account.max_artifact_bytes, used: account.artifact_bytes },
      record_sessions: account.record_sessions === 1,
    };
  });
}
