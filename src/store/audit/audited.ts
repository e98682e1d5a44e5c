import { randomText } from '../../util/ids.ts';
import { all, type Engine, raw, type Sql, sql, type Transaction } from '../engine/engine.ts';
import type { Timestamp } from '../entities.ts';
import type { AuditEvent, AuditTarget } from './audit-store.ts';

/**
 * Inserts the audit entry of a change. `touched` are the objects that the change created or affected, in addition to
 * those that the request names.
 */
export type RecordChange = (...touched: AuditTarget[]) => Transaction<void>;

/**
 * Runs a transaction whose change gets an audit entry. The body records the entry where it makes the change, so that
 * both are committed or neither is. Without an audit event nothing is recorded.
 */
export async function audited<T>(
  engine: Engine,
  audit: AuditEvent | undefined,
  body: (now: Timestamp, record: RecordChange) => Transaction<T>,
): Promise<T> {
  let isRecorded = false;
  const outcome = await engine.transact((now) => {
    // The engine may run the body again from the start
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

/** Their ids are read from the changed rows. */
const SESSION_AND_DEVICE: AuditTarget[] = [
  { kind: 'session', id: '' },
  { kind: 'device', id: '' },
];

/**
 * The audit entry of a change to a session, as part of the statement that makes the change.
 * @param session names the changed rows, from which `id`, `device_id` and `now` are read
 */
export function recordSessionChange(audit: AuditEvent, session: Sql<unknown>): Sql<unknown> {
  const kinds = targetsOf(audit, SESSION_AND_DEVICE).map(({ kind, id }) =>
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

/**
 * The audit entries of changes to several sessions, as a further part of the statement that makes the changes. It is
 * empty if no change has an audit event.
 * @param session names the changed rows, from which `id`, `device_id` and `now` are read
 */
export function recordSessionChanges(
  changes: { sessionId: string; audit?: AuditEvent | undefined }[],
  session: Sql<unknown>,
): Sql<unknown> {
  const events = changes.flatMap(({ sessionId, audit }) => {
    if (!audit) return [];
    const [target, other] = targetsOf(audit, SESSION_AND_DEVICE);
    return [{ ...audit, sessionId, entryId: newEntryId(), target: target!, other: other! }];
  });
  if (events.length === 0) return sql``;
  const column = (of: (event: (typeof events)[number]) => string | null) =>
    sql`cast(${events.map(of)} as text[])`;
  const idOf = (target: 'target' | 'other') => sql`
    case event.${raw(target)}_kind when 'session' then changed.id when 'device' then changed.device_id
      else event.${raw(target)}_id end`;
  return sql`, recorded as (
    insert into audit (at, id, account_id, key_id, action, address, code, target_kind, target_id, other_kind, other_id)
    select changed.now, event.entry_id, event.account_id, event.key_id, event.action, event.address, 0,
      event.target_kind, ${idOf('target')}, event.other_kind, ${idOf('other')}
    from ${session} changed join unnest(
        ${column(({ sessionId }) => sessionId)}, ${column(({ entryId }) => entryId)},
        ${column(({ accountId }) => accountId)}, ${column(({ keyId }) => keyId)},
        ${column(({ action }) => action)}, ${column(({ address }) => address)},
        ${column(({ target }) => target.kind)}, ${column(({ target }) => target.id)},
        ${column(({ other }) => other.kind)}, ${column(({ other }) => other.id)}
      ) as event(session_id, entry_id, account_id, key_id, action, address,
        target_kind, target_id, other_kind, other_id)
      on event.session_id = changed.id)`;
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

/** At most two targets, one of each kind. Those that the request names come first. */
function targetsOf({ targets }: AuditEvent, touched: AuditTarget[]): AuditTarget[] {
  const byKind = new Map<string, AuditTarget>();
  for (const target of [...targets, ...touched])
    if (!byKind.has(target.kind)) byKind.set(target.kind, target);
  return [...byKind.values()].slice(0, 2);
}

let written = 0;

/** Entries that one process writes in the same millisecond sort in the order in which they were written. */
export function newEntryId(): string {
  written += 1;
  return `aud_${written.toString(36).padStart(7, '0')}${randomText(6)}`;
}
