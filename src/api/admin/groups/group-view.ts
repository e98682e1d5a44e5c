import type { Group } from '../../../contract/group.ts';
import type { GroupRow } from '../../../store/group-store.ts';
import { iso } from '../../iso.ts';

export const toGroup = ({ createdAt, ...row }: GroupRow): Group => ({ ...row, created_at: iso(createdAt) });
