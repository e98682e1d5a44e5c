import type { AuditKind } from '../../contract/http/audit.ts';
import type { AuditTarget } from '../../store/audit/audit-store.ts';

const FIELDS: [string, AuditKind][] = [
  ['device_id', 'device'],
  ['session_id', 'session'],
  ['app_id', 'app'],
  ['key_id', 'key'],
  ['account_id', 'account'],
  ['host_id', 'host'],
  ['webhook_id', 'webhook'],
  ['user_id', 'user'],
  ['group_id', 'group'],
  ['link_id', 'watch_link'],
  ['artifact_id', 'artifact'],
];

/** Limits the length of identifiers in the audit trail, because a client may put anything into a path. */
const MAX_ID = 200;

/**
 * An API key or a token, which a person may paste where an identifier is expected. Operators can read the audit trail of
 * every account, so it must not contain them.
 */
const SECRET = /^pb_[\w-]{43}$|\.[\w-]{43}$/;

/** The resources named by the path parameters. */
export function identifiersIn(params: unknown): AuditTarget[] {
  if (typeof params !== 'object' || params === null) return [];
  const fields = params as Record<string, unknown>;
  return FIELDS.flatMap(([field, kind]) => {
    const id = fields[field];
    const isIdentifier = typeof id === 'string' && id !== '' && id.length <= MAX_ID && !SECRET.test(id);
    return isIdentifier ? [{ kind, id }] : [];
  });
}
