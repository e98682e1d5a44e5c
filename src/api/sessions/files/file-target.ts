import type { AuditTarget } from '../../../store/audit/audit-store.ts';

/** Maximum length of a path in the audit trail. The end of a longer path is kept. */
const MAX_TARGET = 200;

/** A file in the audit trail: its path. */
export const fileTarget = (path: string): AuditTarget => ({
  kind: 'file',
  id: path.length > MAX_TARGET ? `…${path.slice(1 - MAX_TARGET)}` : path,
});
