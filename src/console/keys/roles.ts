import type { Role } from '../../contract/key.ts';

/** From the least to the most, as the contract has them. */
export const ROLES = ['viewer', 'user', 'admin'] as const satisfies readonly Role[];

/** The service refuses to make or revoke a key of a role above one's own. */
export const mayHandOut = (own: Role, other: Role) => ROLES.indexOf(other) <= ROLES.indexOf(own);
