import type { Group } from '../../../contract/http/group.ts';
import { iso } from '../../../control-plane/iso.ts';
import type { GroupRow } from '../../../store/devices/group-store.ts';

export const toGroup = ({ createdAt, ...row }: GroupRow): Group => ({ ...row, created_at: iso(createdAt) });
