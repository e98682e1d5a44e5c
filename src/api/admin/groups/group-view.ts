import type { Group } from '../../../contract/group.ts';
import { iso } from '../../../control-plane/iso.ts';
import type { GroupRow } from '../../../store/group-store.ts';

export const toGroup = ({ createdAt, ...row }: GroupRow): Group => ({ ...row, created_at: iso(createdAt) });
