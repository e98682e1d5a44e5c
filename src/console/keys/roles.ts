import type { Role } from '../../contract/http/key.ts';

/** Roles from the lowest to the highest, as in the contract. */
export const ROLES = ['viewer', 'user', 'admin'] as const satisfies readonly Role[];

/** Whether a user may create or revoke a key of this role. The service rejects it for a role above the user's own. */
export const mayAssignRole = (own: Role, other: Role) => ROLES.indexOf(other) <= ROLES.indexOf(own);
