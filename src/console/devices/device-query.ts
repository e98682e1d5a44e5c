import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { PhoneboothClient } from '../../client/phonebooth-client.ts';
import type { Device } from '../../contract/device.ts';
import type { Page } from '../../contract/page.ts';
import { useClient } from '../account/account.tsx';
import { POLL_MS } from '../data/query-client.ts';
import { type DeviceFilters, matchesName } from './device-filters.ts';

export const DEVICES_PAGE = 24;
/** The largest page that the service answers. */
const LARGEST_PAGE = 100;
/** Pages of that size that a search by name reads: the service filters by anything but the name. */
const SEARCHED_PAGES = 5;

export interface DeviceList extends Page<Device> {
  /** How many phones a search by name looked at, when there are more; null when it saw all. */
  truncatedAt: number | null;
}

async function readMany(client: PhoneboothClient, filters: DeviceFilters, signal: AbortSignal) {
  const query = {
    brand: filters.brand,
    os_version: filters.os,
    status: filters.status,
    page_size: LARGEST_PAGE,
  };
  const first = await client.listDevices(query, signal);
  const items = [...first.items];
  const pages = Math.min(SEARCHED_PAGES, Math.ceil(first.total / LARGEST_PAGE));
  for (let page = 2; page <= pages; page += 1) {
    items.push(...(await client.listDevices({ ...query, page }, signal)).items);
  }
  return { items, total: first.total };
}

async function readList(
  client: PhoneboothClient,
  filters: DeviceFilters,
  signal: AbortSignal,
): Promise<DeviceList> {
  const { brand, os, status, name, page } = filters;
  if (name.trim() === '') {
    const query = { brand, os_version: os, status, page, page_size: DEVICES_PAGE };
    return { ...(await client.listDevices(query, signal)), truncatedAt: null };
  }
  const { items, total } = await readMany(client, filters, signal);
  const found = items.filter((device) => matchesName(device, name.trim()));
  return {
    total: found.length,
    page,
    page_size: DEVICES_PAGE,
    items: found.slice((page - 1) * DEVICES_PAGE, page * DEVICES_PAGE),
    truncatedAt: items.length < total ? items.length : null,
  };
}

/** The phones that the filters leave, asked for again and again: their status is live. */
export function useDevices(filters: DeviceFilters) {
  const client = useClient();
  return useQuery({
    queryKey: ['devices', 'list', filters],
    queryFn: ({ signal }) => readList(client, filters, signal),
    refetchInterval: ({ state }) => (state.data?.truncatedAt ? POLL_MS * 5 : POLL_MS),
    placeholderData: keepPreviousData,
  });
}

/** What there is to choose from: brands, OS versions, and the phones themselves by their id, for their names. */
export function useInventory() {
  const client = useClient();
  return useQuery({
    queryKey: ['devices', 'inventory'],
    queryFn: async ({ signal }) => {
      const { items } = await readMany(client, { brand: '', os: '', status: '', name: '', page: 1 }, signal);
      const distinct = (values: string[]) =>
        [...new Set(values)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
      return {
        brands: distinct(items.map((device) => device.brand)),
        osVersions: distinct(items.map((device) => device.os_version)),
        byId: new Map(items.map((device) => [device.id, device])),
      };
    },
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
}
