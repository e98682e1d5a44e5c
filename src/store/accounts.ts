import { randomBytes } from 'node:crypto';
import type { Usage } from '../contract/usage.ts';
import { monthOf, resetsAt } from '../domain/month.ts';
import { all, type Engine, first, sql, type Transaction } from './engine.ts';
import { accountRow } from './rows.ts';
import type { AccountRow, NewAccount, Timestamp } from './store.ts';
import type { Tables } from './tables.ts';

/** 72 random bits: an identifier, not a secret. */
export const newId = (kind: 'acc' | 'key' | 'host') => `${kind}_${randomBytes(9).toString('base64url')}`;

export async function createAccount(engine: Engine, account: NewAccount): Promise<AccountRow | 'name-taken'> {
  const row = await engine.transact((now) => insertAccount(account, now));
  return row ? accountRow(row) : 'name-taken';
}

export async function listAccounts(engine: Engine): Promise<AccountRow[]> {
  const rows = await engine.run(sql<Tables['accounts']>`select * from accounts order by created_at, id`);
  return rows.map(accountRow);
}

/** Nothing when the name is taken. */
export function* insertAccount(
  { name, quotaMinutes, maxSessions }: NewAccount,
  now: Timestamp,
): Transaction<Tables['accounts'] | undefined> {
  return yield* first(
    sql<Tables['accounts']>`
      insert into accounts (id, name, quota_minutes, max_sessions, created_at)
      values (${newId('acc')}, ${name}, ${quotaMinutes}, ${maxSessions}, ${now})
      on conflict (name) do nothing
      returning *`,
  );
}

/** Minutes charged to a month of an account, or reserved in it. */
export function* usedMinutes(accountId: string, month: string): Transaction<number> {
  const row = yield* first(
    sql<{ minutes: number }>`select minutes from usage where account_id = ${accountId} and month = ${month}`,
  );
  return row?.minutes ?? 0;
}

export async function usage(engine: Engine, accountId: string): Promise<Usage | null> {
  return engine.transact(function* (now): Transaction<Usage | null> {
    const account = yield* first(sql<Tables['accounts']>`select * from accounts where id = ${accountId}`);
    if (!account) return null;
    const month = monthOf(now);
    const used = yield* usedMinutes(accountId, month);
    const live = yield* all(
      sql<Tables['sessions']>`
        select * from sessions where account_id = ${accountId} and status <> 'disconnected'`,
    );
    // Of a session that began in another month, only what it was extended by since may come back to this one
    const reserved = live.reduce(
      (sum, { month: created, minutes_reserved, minutes_next_month }) =>
        sum + (created === month ? minutes_reserved - minutes_next_month : minutes_next_month),
      0,
    );
    const limit = account.quota_minutes;
    return {
      account: account.name,
      month,
      resets_at: resetsAt(month),
      minutes: { limit, used, reserved, remaining: limit === null ? null : Math.max(0, limit - used) },
      sessions: { limit: account.max_sessions, live: live.length },
    };
  });
}
