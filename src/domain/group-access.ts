import type { Role } from '../contract/http/key.ts';

/** Maps a group at the identity provider to an account and a role. */
export interface GroupRule {
  /** `*` matches every user whom the provider authenticates. */
  group: string;
  account: string;
  role: Role;
}

export const ANY_GROUP = '*';

/**
 * The first matching rule decides both account and role, so that the result for a user in two groups is predictable
 * for an operator. Returns null when no rule matches: the user has no access.
 */
export function accessOf(rules: readonly GroupRule[], groups: readonly string[]): GroupRule | null {
  return rules.find(({ group }) => group === ANY_GROUP || groups.includes(group)) ?? null;
}
