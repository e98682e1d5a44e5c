import type { Device } from '../../contract/http/device.ts';
import type { Page } from '../../contract/http/page.ts';
import { toDevice } from '../../control-plane/device-view.ts';
import type { DeviceRow } from '../../store/devices/device-store.ts';
import { EncodedJson, implement } from '../implement.ts';

/** By the page from the store, which returns the same object until the list changes. */
const encoded = new WeakMap<Page<DeviceRow>, EncodedJson<Page<Device>>>();

export const listDevices = implement('devices.list', async ({ store }, { query, principal }) => {
  const page = await store.listDevices({
    accountId: principal.accountId,
    brand: query.brand?.toLowerCase() || undefined,
    osVersion: query.os_version || undefined,
    status: query.status || undefined,
    page: query.page,
    pageSize: query.page_size,
  });
  const response = encoded.get(page) ?? new EncodedJson({ ...page, items: page.items.map(toDevice) });
  encoded.set(page, response);
  return response;
});
