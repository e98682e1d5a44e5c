import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Device } from '../../contract/http/device.ts';
import { useClient } from '../account/account.tsx';
import { useIsLive } from '../data/live-updates.tsx';
import { POLL_MS } from '../data/query-client.ts';
import { type DeviceFilters, matches } from './device-filters.ts';
import { DEVICES_PAGE, pageOptions, type ServiceFilters, useSearched } from './device-query.ts';
import { useFavourites } from './favourites.ts';

/** Pages that stay cached after they were scrolled out of view, for scrolling back. */
const KEPT_PAGES = 10;
/** Maximum number of pages in view at a time. */
const SHOWN_PAGES = 3;

/** The phones of the list by index. Those of a page that is still loading are undefined. */
export interface DeviceRows {
  count: number;
  at(index: number): Device | undefined;
  /**
   * Number of phones that match. A long list starts with the favourites, which appear again at their regular
   * position.
   */
  total: number;
  /** Number of available phones, or null unless all phones are loaded. */
  free: number | null;
  /** Number of phones that a search by name examined, or null if it examined all. */
  truncatedAt: number | null;
}

export interface DeviceList {
  /** Undefined until the first response. */
  rows: DeviceRows | undefined;
  error: Error | null;
  retry(): void;
  /** Reports which indexes are on the screen, so that their pages are fetched. */
  onShown(first: number, last: number): void;
}

/**
 * The phones that match the filters. They are fetched page by page while scrolling, or all at once for a search by
 * name.
 */
export function useDeviceRows(filters: DeviceFilters): DeviceList {
  const favourites = useFavourites();
  const isSearch = filters.name.trim() !== '' && !filters.starred;
  const service = useMemo(
    () => ({ brand: filters.brand, os: filters.os, status: filters.status }),
    [filters.brand, filters.os, filters.status],
  );
  const paged = usePages(service, !isSearch && !filters.starred);
  const searched = useSearched(service, isSearch);
  const isLong = !isSearch && (paged.first.data?.total ?? 0) > DEVICES_PAGE;
  const starred = useStarred(filters, favourites, filters.starred || isLong);
  if (filters.starred) {
    const isRead = starred.every(({ isPending }) => !isPending);
    const rows = isRead ? wholeRows(devicesOf(starred, filters)) : undefined;
    return { rows, error: null, retry: noop, onShown: noop };
  }
  if (isSearch) {
    const { data, error, refetch } = searched;
    const found = data?.items.filter((device) => matches(device, filters));
    const truncatedAt = data && data.items.length < data.total ? data.items.length : null;
    const rows = found && { ...wholeRows(starredFirst(found, favourites)), truncatedAt };
    return { rows, error, retry: () => void refetch(), onShown: noop };
  }
  const { data, error, refetch } = paged.first;
  const top = isLong ? devicesOf(starred, filters) : [];
  const rows =
    data &&
    (isLong
      ? longRows(top, data.total, paged.at)
      : { ...wholeRows(starredFirst(data.items, favourites)), total: data.total });
  const onShown = (first: number, last: number) => paged.onShown(first - top.length, last - top.length);
  return { rows, error, retry: () => void refetch(), onShown };
}

const noop = () => {};

const wholeRows = (devices: readonly Device[]): DeviceRows => ({
  count: devices.length,
  at: (index) => devices[index],
  total: devices.length,
  free: devices.filter(({ status }) => status === 'available').length,
  truncatedAt: null,
});

const longRows = (top: readonly Device[], total: number, at: DeviceRows['at']): DeviceRows => ({
  count: top.length + total,
  at: (index) => (index < top.length ? top[index] : at(index - top.length)),
  total,
  free: null,
  truncatedAt: null,
});

function starredFirst(devices: readonly Device[], favourites: readonly string[]): readonly Device[] {
  if (favourites.length === 0) return devices;
  const isStarred = (device: Device) => favourites.includes(device.id);
  return [...devices.filter(isStarred), ...devices.filter((device) => !isStarred(device))];
}

/** Queries the favourites one by one, because the pages that contain them are unknown in a long list. */
function useStarred(filters: DeviceFilters, favourites: readonly string[], enabled: boolean) {
  const client = useClient();
  const isLive = useIsLive();
  return useQueries({
    queries: (enabled ? favourites : []).map((id) => ({
      queryKey: ['devices', 'one', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.getDevice(id, signal),
      refetchInterval: isLive ? (false as const) : filters.starred ? POLL_MS : POLL_MS * 5,
    })),
  });
}

/** Leaves out a favourite that cannot be fetched. It stays a favourite, because the phone may come back. */
const devicesOf = (
  answers: readonly { data: Device | undefined; isError: boolean }[],
  filters: DeviceFilters,
) => answers.flatMap(({ data, isError }) => (data && !isError && matches(data, filters) ? [data] : []));

/** Queries the pages on the screen, and the first page, which contains the total. */
function usePages(filters: ServiceFilters, enabled: boolean) {
  const client = useClient();
  const isLive = useIsLive();
  const [shown, setShown] = useState({ first: 1, last: 1 });
  const first = useQuery({
    ...pageOptions(client, filters, 1, isLive),
    enabled,
    placeholderData: keepPreviousData,
  });
  const last = Math.min(shown.last, shown.first + SHOWN_PAGES - 1, lastPage(first.data?.total));
  const numbers = pagesBetween(Math.max(2, shown.first), enabled ? last : 0);
  const further = useQueries({
    queries: numbers.map((page) => pageOptions(client, filters, page, isLive)),
  });
  useBoundedPages(shown);
  const onShown = useCallback((from: number, to: number) => {
    const next = { first: pageOf(Math.max(0, from)), last: pageOf(Math.max(0, to)) };
    setShown((now) => (now.first === next.first && now.last === next.last ? now : next));
  }, []);
  const at = (index: number) => {
    const page = pageOf(index);
    const answer = page === 1 ? first : further[numbers.indexOf(page)];
    return answer?.data?.items[index % DEVICES_PAGE];
  };
  return { first, at, onShown };
}

const pageOf = (index: number) => Math.floor(index / DEVICES_PAGE) + 1;
const lastPage = (total = 0) => Math.ceil(total / DEVICES_PAGE);
const pagesBetween = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n);

/** Keeps only the most recent pages out of view in the cache while scrolling through thousands of phones. */
function useBoundedPages(shown: unknown) {
  const cache = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown has changed when there may be one too many
  useEffect(() => {
    const left = cache.getQueryCache().findAll({ queryKey: ['devices', 'page'], type: 'inactive' });
    const newestFirst = left.sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
    for (const { queryKey } of newestFirst.slice(KEPT_PAGES)) cache.removeQueries({ queryKey, exact: true });
  }, [cache, shown]);
}
