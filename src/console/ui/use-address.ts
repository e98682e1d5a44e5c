import { navigate, useLocation } from '../router.tsx';

/**
 * Filters and page number that are stored in the page's address, so that a view can be bookmarked and shared.
 * Changing a filter resets the page to 1.
 * @param names of the filters. An empty value means that the filter is not set.
 */
export function useAddress<Name extends string>(names: readonly Name[]) {
  const { path, search } = useLocation();
  const query = new URLSearchParams(search);
  const filters = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Record<
    Name,
    string
  >;
  const number = Number(query.get('page') ?? 1);
  const page = Number.isSafeInteger(number) && number > 0 ? number : 1;
  const go = (next: Record<Name, string>, nextPage: number, replace: boolean) => {
    const kept = new URLSearchParams();
    for (const name of names) if (next[name] !== '') kept.set(name, next[name]);
    if (nextPage > 1) kept.set('page', String(nextPage));
    navigate(kept.size > 0 ? `${path}?${kept}` : path, { replace });
  };
  return {
    filters,
    page,
    isFiltered: names.some((name) => filters[name] !== ''),
    change: (changed: Partial<Record<Name, string>>) => go({ ...filters, ...changed }, 1, true),
    showPage: (next: number) => go(filters, next, false),
    clear: () => navigate(path, { replace: true }),
  };
}
