export const SECTIONS = [
  'devices',
  'hosts',
  'accounts',
  'users',
  'groups',
  'sessions',
  'webhooks',
  'utilisation',
  'audit',
] as const;
export type Section = (typeof SECTIONS)[number];

const isSection = (name: string): name is Section => SECTIONS.some((section) => section === name);

/** Returns what a path under `/admin` shows, or null if there is no such page. */
export function adminPlaceOf(path: string): { section: Section; accountId?: string } | null {
  const [, section = 'devices', id, ...rest] = path.split('/').filter((part) => part !== '');
  if (!isSection(section) || rest.length > 0) return null;
  if (id === undefined) return { section };
  if (section !== 'accounts') return null;
  try {
    return { section, accountId: decodeURIComponent(id) };
  } catch {
    return null;
  }
}

/** Returns the address of a section with these filters. */
export function adminAddress(section: Section, filters: Record<string, string> = {}): string {
  const query = new URLSearchParams(filters);
  return query.size > 0 ? `/admin/${section}?${query}` : `/admin/${section}`;
}

export const accountAddress = (accountId: string) => `/admin/accounts/${encodeURIComponent(accountId)}`;
