import type { AuditKind } from '../../../contract/audit.ts';
import type { OperationId } from '../../../contract/operations.ts';
import type { AuditTarget } from '../../../store/admin-store.ts';

/** What an operation makes, where its answer calls the identifier `id`. */
const MADE: Partial<Record<OperationId, AuditKind>> = {
  'apps.upload': 'app',
  'keys.create': 'key',
  'webhooks.create': 'webhook',
  'admin.accounts.create': 'account',
  'admin.accounts.keys.create': 'key',
  'admin.groups.create': 'group',
};

const NAMED: [string, AuditKind][] = [
  ['device_id', 'device'],
  ['session_id', 'session'],
  ['app_id', 'app'],
  ['key_id', 'key'],
  ['account_id', 'account'],
  ['host_id', 'host'],
  ['webhook_id', 'webhook'],
  ['user_id', 'user'],
  ['group_id', 'group'],
];

/** What a request named, and what it was answered with. */
interface Exchange {
  params?: unknown;
  body?: unknown;
  data?: unknown;
}

/** What an entry says that it was done to: what the path names, then the answer, then the request; the first two of these. */
export function auditTargets(id: OperationId, { params, body, data }: Exchange): AuditTarget[] {
  const made = MADE[id];
  const found = [
    ...identifiersIn(params),
    ...(made ? [{ kind: made, id: (data as { id?: unknown } | null)?.id }] : identifiersIn(data)),
    ...identifiersIn(body),
  ];
  const byKind = new Map<AuditKind, AuditTarget>();
  for (const target of found)
    if (isNamed(target) && !byKind.has(target.kind)) byKind.set(target.kind, target);
  return [...byKind.values()].slice(0, 2);
}

/** A client may put anything into a path, or a body. */
const MAX_ID = 200;

const isNamed = (target: { kind: AuditKind; id: unknown }): target is AuditTarget =>
  typeof target.id === 'string' && target.id !== '' && target.id.length <= MAX_ID;

function identifiersIn(object: unknown): { kind: AuditKind; id: unknown }[] {
  if (typeof object !== 'object' || object === null) return [];
  const fields = object as Record<string, unknown>;
  return NAMED.flatMap(([field, kind]) => (field in fields ? [{ kind, id: fields[field] }] : []));
}
