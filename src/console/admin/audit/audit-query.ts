import type { AuditQuery } from '../../../client/admin-client.ts';

export const AUDIT_FILTERS = ['account', 'action', 'target', 'since', 'until'] as const;
export type AuditFilters = Record<(typeof AUDIT_FILTERS)[number], string>;

/**
 * Builds the service's query from the filters. A day is a day in the browser's time zone, from its start to its end.
 */
export function auditQueryOf({ account, action, target, since, until }: AuditFilters): AuditQuery {
  return {
    account_id: account,
    action,
    target: target.trim(),
    since: startOf(since, 0),
    until: startOf(until, 1),
  };
}

/** Returns the start of the day `daysAfter` days after `day`, or an empty string if `day` is not a valid date. */
function startOf(day: string, daysAfter: number): string {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (!year) return '';
  const start = new Date(Number(year), Number(month) - 1, Number(date) + daysAfter);
  return Number.isNaN(start.getTime()) ? '' : start.toISOString();
}
