import type { Device, DeviceStatus } from '../../contract/http/device.ts';

/** Filters of the list. All of them are in the page's address, so that a view can be bookmarked and shared. */
export interface DeviceFilters {
  brand: string;
  os: string;
  status: DeviceStatus | '';
  name: string;
  /** Whether only favourites are shown. */
  starred: boolean;
}

export const NO_FILTERS: DeviceFilters = { brand: '', os: '', status: '', name: '', starred: false };

const isStatus = (value: string | null): value is DeviceStatus => value === 'available' || value === 'busy';

/** Reads the filters from a query string. Invalid values are ignored. */
export function filtersFrom(search: string): DeviceFilters {
  const query = new URLSearchParams(search);
  const status = query.get('status');
  return {
    brand: query.get('brand') ?? '',
    os: query.get('os_version') ?? '',
    status: isStatus(status) ? status : '',
    name: query.get('q') ?? '',
    starred: query.get('starred') === '1',
  };
}

/** Returns the address of the list with these filters, without empty ones. */
export function addressOf(filters: DeviceFilters): string {
  const query = new URLSearchParams();
  if (filters.name) query.set('q', filters.name);
  if (filters.brand) query.set('brand', filters.brand);
  if (filters.os) query.set('os_version', filters.os);
  if (filters.status) query.set('status', filters.status);
  if (filters.starred) query.set('starred', '1');
  return query.size > 0 ? `/devices?${query}` : '/devices';
}

export const isFiltered = ({ brand, os, status, name, starred }: DeviceFilters) =>
  brand !== '' || os !== '' || status !== '' || name !== '' || starred;

/** Whether the name, brand and model together contain every typed word, in any order. */
export function matchesName(device: { name: string; brand: string; model: string }, typed: string): boolean {
  const found = `${device.name} ${device.brand} ${device.model}`.toLocaleLowerCase();
  return typed
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => found.includes(word));
}

/** Whether a phone that was fetched without the filters matches them. */
export const matches = (device: Device, { brand, os, status, name }: DeviceFilters): boolean =>
  (brand === '' || device.brand === brand) &&
  (os === '' || device.os_version === os) &&
  (status === '' || device.status === status) &&
  matchesName(device, name.trim());
