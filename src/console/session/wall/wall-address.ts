/** Returns the ids of the sessions in an address of the wall, `s=a&s=b`. An empty list means all sessions. */
export const chosenOf = (search: string): string[] => new URLSearchParams(search).getAll('s');

export function wallAddress(sessionIds: readonly string[]): string {
  const search = new URLSearchParams(sessionIds.map((id) => ['s', id]));
  return search.size > 0 ? `/wall?${search}` : '/wall';
}
