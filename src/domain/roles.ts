import { ROLES, type Role } from '../contract/http/key.ts';

/**
 * Whether a key with the role `own` can create or revoke a key with the role `other`: not if that role is higher than
 * its own.
 */
export function mayAssignRole(own: Role, other: Role): boolean {
  return ROLES.indexOf(other) <= ROLES.indexOf(own);
}
