import type { Device, DeviceStatus } from '../../contract/device.ts';

/** What the list shows. All of it is in the page's address, so that a view can be kept and shared. */
export interface DeviceFilters {
  brand: string;
  os: string;
  status: DeviceStatus | '';
  name: string;
  /** Only favourites. */
  starred: boolean;
}

export const NO_FILTERS: DeviceFilters = { brand: '', os: '', status: '', name: '', starred: false };

const isStatus = (value: string | null): value is DeviceStatus => value === 'available' || value === 'busy';

/** Reads the filters from a query string; what makes no sense there is left out. */
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

/** The address of the list with these filters, without those that filter nothing. */
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

/** Whether every word that was typed begins somewhere in the name, brand or model, in any order. */
export function matchesName(device: { name: string; brand: string; model: string }, typed: string): boolean {
  const found = `${device.name} ${device.brand} ${device.model}`.toLocaleLowerCase();
  return typed
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => found.includes(word));
}

/** Whether a phone that was not read through the filters passes them. */
export const matches = (device: Device, { brand, os, status, name }: DeviceFilters): boolean =>
  (brand === '' || device.brand === brand) &&
  (os === '' || device.os_version === os) &&
  (status === '' || device.status === status) &&
  matchesName(device, name.trim());
