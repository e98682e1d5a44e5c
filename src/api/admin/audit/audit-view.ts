import type { AuditEntry } from '../../../contract/http/audit.ts';
import { iso } from '../../../control-plane/iso.ts';
import type { AuditRow } from '../../../store/audit/audit-store.ts';

export const toAuditEntry = ({ at, ...row }: AuditRow): AuditEntry => ({ ...row, at: iso(at) });
