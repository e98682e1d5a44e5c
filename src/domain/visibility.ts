/** Ids of the device groups that an account belongs to. */
export type Groups = ReadonlySet<string>;

/** Whether a phone is visible to an account. A phone without a group is visible to every account. */
export const isVisibleTo = (groups: Groups, groupId: string | null): boolean =>
  groupId === null || groups.has(groupId);

/**
 * Decides which event an account receives about a phone that changed: null when the change does not concern the
 * account, `removed` when the phone is no longer offered or no longer visible to the account.
 * @param concerned group of the phone at the time of the change, or the group that it left
 * @param phone its current state; null if it is not offered
 */
export function deviceEventFor(
  groups: Groups,
  concerned: string | null,
  phone: { groupId: string | null } | null,
): 'changed' | 'removed' | null {
  if (!isVisibleTo(groups, concerned)) return null;
  return phone && isVisibleTo(groups, phone.groupId) ? 'changed' : 'removed';
}
