import type { Role } from '../contract/key.ts';

/** Whoever is in a group at the identity provider may do this here. */
export interface GroupRule {
  /** `*`: everybody whom the provider knows. */
  group: string;
  account: string;
  role: Role;
}

export const EVERYBODY = '*';

/** The first rule that fits decides both account and role, so that an operator sees what comes of two groups. null: no access. */
export function accessOf(rules: readonly GroupRule[], groups: readonly string[]): GroupRule | null {
  return rules.find(({ group }) => group === EVERYBODY || groups.includes(group)) ?? null;
}
