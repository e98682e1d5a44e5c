/** The groups of phones that an account is in. */
export type Groups = ReadonlySet<string>;

/** A phone in no group is everybody's. */
export const sees = (groups: Groups, groupId: string | null): boolean =>
  groupId === null || groups.has(groupId);

/**
 * What an account is told of a phone that changed: nothing where the change does not concern it; that the phone is gone
 * where it is offered no more, or has left the account's sight.
 * @param concerned the group that the phone was in, or had left
 * @param phone as it is now; null: it is not offered
 */
export function toldOfPhone(
  groups: Groups,
  concerned: string | null,
  phone: { groupId: string | null } | null,
): 'changed' | 'removed' | null {
  if (!sees(groups, concerned)) return null;
  return phone && sees(groups, phone.groupId) ? 'changed' : 'removed';
}
