import type { Group } from '../../contract/http/group.ts';
import type { GroupRow } from '../../store/devices/group-store.ts';
import { iso } from '../iso.ts';

export const toGroup = ({ createdAt, ...row }: GroupRow): Group => ({ ...row, created_at: iso(createdAt) });
