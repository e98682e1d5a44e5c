import { ROLES, type Role } from '../contract/key.ts';

/** Whether a key of one role may make or revoke a key of another: never of one above its own. */
export function mayHandOut(own: Role, other: Role): boolean {
  return ROLES.indexOf(other) <= ROLES.indexOf(own);
}
