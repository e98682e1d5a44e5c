/** The sessions that an address of the wall names, `s=a&s=b`; none means all. */
export const chosenOf = (search: string): string[] => new URLSearchParams(search).getAll('s');

export function wallAddress(sessionIds: readonly string[]): string {
  const search = new URLSearchParams(sessionIds.map((id) => ['s', id]));
  return search.size > 0 ? `/wall?${search}` : '/wall';
}
