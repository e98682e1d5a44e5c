import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PhoneboothClient } from '../../client/phonebooth-client.ts';
import type { Device } from '../../contract/http/device.ts';
import { MAX_PAGE_SIZE, type Page } from '../../contract/http/page.ts';
import { useClient } from '../account/account.tsx';
import { useIsLive } from '../data/live-updates.tsx';
import { POLL_MS } from '../data/query-client.ts';

export const DEVICES_PAGE = MAX_PAGE_SIZE;
/** Maximum number of pages that a search by name fetches. The service cannot filter by name. */
const SEARCHED_PAGES = 100;
/** Concurrent requests of such a search. */
const SEARCHES = 4;
/** Number of pages from which the choices of the filters are collected. */
const INVENTORY_PAGES = 5;

/** The filters that the service supports. */
export interface ServiceFilters {
  brand: string;
  os: string;
  status: Device['status'] | '';
}

const ANY: ServiceFilters = { brand: '', os: '', status: '' };

const readPage = (
  client: PhoneboothClient,
  { brand, os, status }: ServiceFilters,
  page: number,
  signal: AbortSignal,
) => client.listDevices({ brand, os_version: os, status, page, page_size: DEVICES_PAGE }, signal);

/** Query options for one page of the list while it is on the screen. */
export const pageOptions = (
  client: PhoneboothClient,
  filters: ServiceFilters,
  page: number,
  isLive: boolean,
) =>
  queryOptions({
    queryKey: ['devices', 'page', filters, page],
    queryFn: ({ signal }) => readPage(client, filters, page, signal),
    refetchInterval: isLive ? false : POLL_MS,
  });

async function readMany(first: Page<Device>, read: (page: number) => Promise<Page<Device>>, most: number) {
  const items = [...first.items];
  const pages = Math.min(most, Math.ceil(first.total / DEVICES_PAGE));
  for (let page = 2; page <= pages; page += SEARCHES) {
    const batch = Array.from({ length: Math.min(SEARCHES, pages - page + 1) }, (_, n) => read(page + n));
    items.push(...(await Promise.all(batch)).flatMap((part) => part.items));
  }
  return { items, total: first.total };
}

/** Queries all phones that match the service's filters, up to the limit of a search, to search among them by name. */
export function useSearched(filters: ServiceFilters, enabled: boolean) {
  const client = useClient();
  const isLive = useIsLive();
  return useQuery({
    queryKey: ['devices', 'many', filters, SEARCHED_PAGES],
    queryFn: async ({ signal }) => {
      const read = (page: number) => readPage(client, filters, page, signal);
      return readMany(await read(1), read, SEARCHED_PAGES);
    },
    enabled,
    staleTime: 30_000,
    refetchInterval: isLive ? false : POLL_MS * 5,
    placeholderData: keepPreviousData,
  });
}

const distinct = (values: string[]) =>
  [...new Set(values)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

const inventoryOf = (items: Device[]) => ({
  brands: distinct(items.map((device) => device.brand)),
  osVersions: distinct(items.map((device) => device.os_version)),
  byId: new Map(items.map((device) => [device.id, device])),
});

/**
 * Queries the choices of the filters: brands and OS versions; and the phones by id, to look up their names. The first
 * page is the one of the list without filters, which is fetched once for both.
 * @param isComplete whether the pages after the first are fetched too
 */
export function useInventory({ enabled = true, isComplete = true } = {}) {
  const client = useClient();
  const isLive = useIsLive();
  const first = useQuery({ ...pageOptions(client, ANY, 1, isLive), enabled });
  const hasMore = first.data !== undefined && first.data.total > DEVICES_PAGE;
  const all = useQuery({
    queryKey: ['devices', 'many', ANY, INVENTORY_PAGES],
    queryFn: ({ signal }) => {
      const read = (page: number) => readPage(client, ANY, page, signal);
      return readMany(first.data as Page<Device>, read, INVENTORY_PAGES);
    },
    enabled: enabled && isComplete && hasMore,
    staleTime: 30_000,
    refetchInterval: isLive ? false : 60_000,
  });
  const items = (all.data ?? first.data)?.items;
  return useMemo(() => items && inventoryOf(items), [items]);
}
