import type { AuditEntry } from '../../../contract/audit.ts';
import type { AuditRow } from '../../../store/admin-store.ts';
import { iso } from '../../iso.ts';

export const toAuditEntry = ({ at, ...row }: AuditRow): AuditEntry => ({ ...row, at: iso(at) });
