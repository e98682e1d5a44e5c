import type { AuditEntry } from '../../../contract/http/audit.ts';
import { invalidField } from '../../../contract/http/errors.ts';
import { iso } from '../../../control-plane/iso.ts';
import type { AuditFilter, AuditRow } from '../../../store/audit/audit-store.ts';
import type { Store } from '../../../store/store.ts';
import { implement } from '../../implement.ts';
import { Lines } from '../../responses.ts';

/** Entries read per query when a client requests all entries as lines. */
const BATCH = 500;

export const listAudit = implement('admin.audit.list', async ({ store }, { query, wantsLines }) => {
  const filter: AuditFilter = {
    accountId: query.account_id || undefined,
    action: query.action || undefined,
    target: query.target || undefined,
    since: readTime('since', query.since),
    until: readTime('until', query.until),
  };
  if (query.format === 'jsonl' || (wantsLines && !query.format)) return new Lines(everyEntry(store, filter));
  const page = await store.listAudit({ ...filter, page: query.page, pageSize: query.page_size });
  return { ...page, items: await toEntries(store, page.items) };
});

/**
 * Yields the entries newest first. No transaction stays open between two batches, however slowly the client reads.
 */
async function* everyEntry(store: Pick<Store, 'listAuditBefore' | 'nameTargets'>, filter: AuditFilter) {
  let before: AuditRow | null = null;
  while (true) {
    const rows: AuditRow[] = await store.listAuditBefore({ filter, before, limit: BATCH });
    yield* await toEntries(store, rows);
    if (rows.length < BATCH) return;
    before = rows.at(-1)!;
  }
}

/** The schema's pattern accepts days that do not exist, such as February 30. */
function readTime(field: string, text: string | undefined): number | undefined {
  if (!text) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw invalidField(`query.${field}`, 'must be a date and time that exists, such as 2026-11-21T10:00:00Z');
  return time;
}

async function toEntries(
  store: Pick<Store, 'nameTargets'>,
  rows: readonly AuditRow[],
): Promise<AuditEntry[]> {
  const names = await store.nameTargets(rows.flatMap(({ targets }) => targets));
  return rows.map(({ at, targets, ...row }) => ({
    ...row,
    at: iso(at),
    targets: targets.map(({ kind, id }) => ({ kind, id, name: names.get(kind)?.get(id) ?? null })),
  }));
}
