import { randomBytes } from 'node:crypto';
import type { AuditEvent, AuditTarget } from './admin-store.ts';
import { all, type Engine, type Sql, sql, type Transaction } from './engine.ts';
import type { Timestamp } from './store.ts';

/** Inserts the entry of a change, with what the change made or touched, beside what the request named. */
export type RecordChange = (...touched: AuditTarget[]) => Transaction<void>;

/**
 * A transaction whose change has an entry in the audit trail: the body records it where the change is made, and both are
 * committed or neither. Without an event nothing is recorded.
 */
export async function audited<T>(
  engine: Engine,
  audit: AuditEvent | undefined,
  body: (now: Timestamp, record: RecordChange) => Transaction<T>,
): Promise<T> {
  let isRecorded = false;
  const outcome = await engine.transact((now) => {
    // The engine may run the body again from its start
    isRecorded = false;
    return body(now, function* (...touched): Transaction<void> {
      if (!audit) return;
      yield* recordChange(audit, touched, now);
      isRecorded = true;
    });
  });
  if (audit && isRecorded) audit.isRecorded = true;
  return outcome;
}

export function* recordChange(audit: AuditEvent, touched: AuditTarget[], now: Timestamp): Transaction<void> {
  const [target, other] = targetsOf(audit, touched);
  yield* all(
    insertChange(audit, {
      at: sql`${now}`,
      target: sql`${target?.kind ?? null}, ${target?.id ?? null}`,
      other: sql`${other?.kind ?? null}, ${other?.id ?? null}`,
    }),
  );
}

/**
 * The entry of a change to a session, as a part of the statement that makes the change.
 * @param session names the rows that were changed: `id`, `device_id` and `now` are read from it
 */
export function recordSessionChange(audit: AuditEvent, session: Sql<unknown>): Sql<unknown> {
  const kinds = targetsOf(audit, [
    { kind: 'session', id: '' },
    { kind: 'device', id: '' },
  ]).map(({ kind, id }) =>
    kind === 'session'
      ? sql`'session', id`
      : kind === 'device'
        ? sql`'device', device_id`
        : sql`${kind}, ${id}`,
  );
  return insertChange(audit, {
    at: sql`now`,
    target: kinds[0]!,
    other: kinds[1]!,
    from: sql`from ${session}`,
  });
}

function insertChange(
  { accountId, keyId, action, address }: AuditEvent,
  parts: { at: Sql<unknown>; target: Sql<unknown>; other: Sql<unknown>; from?: Sql<unknown> },
): Sql<unknown> {
  return sql`
    insert into audit (at, id, account_id, key_id, action, address, code, target_kind, target_id, other_kind, other_id)
    select ${parts.at}, ${newEntryId()}, ${accountId}, ${keyId}, ${action}, ${address}, 0,
      ${parts.target}, ${parts.other} ${parts.from ?? sql``}`;
}

/** What the request names comes first; one of a kind, and two at the most. */
function targetsOf({ targets }: AuditEvent, touched: AuditTarget[]): AuditTarget[] {
  const byKind = new Map<string, AuditTarget>();
  for (const target of [...targets, ...touched])
    if (!byKind.has(target.kind)) byKind.set(target.kind, target);
  return [...byKind.values()].slice(0, 2);
}

let written = 0;

/** In the order of writing, where two entries of one process are of the same millisecond. */
export function newEntryId(): string {
  written += 1;
  return `aud_${written.toString(36).padStart(7, '0')}${randomBytes(6).toString('base64url')}`;
}
