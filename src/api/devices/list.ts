import type { Device } from '../../contract/http/device.ts';
import type { Page } from '../../contract/http/page.ts';
import { toDevice } from '../../control-plane/device-view.ts';
import type { DeviceRow } from '../../store/devices/device-store.ts';
import { EncodedJson, implement } from '../implement.ts';

/** By the page from the store, which returns the same object until the list changes. */
const encoded = new WeakMap<Page<DeviceRow>, EncodedJson<Page<Device>>>();

export const listDevices = implement('devices.list', async ({ store }, { query, principal }) => {
  const { page: number, page_size: pageSize, ...filters } = query;
  const { accountId } = principal;
  const page = await store.listDevices({ ...filters, accountId, page: number, pageSize });
  const response = encoded.get(page) ?? new EncodedJson({ ...page, items: page.items.map(toDevice) });
  encoded.set(page, response);
  return response;
});
