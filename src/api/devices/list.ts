import type { Device } from '../../contract/http/device.ts';
import type { Page } from '../../contract/http/page.ts';
import { toDeviceFor } from '../../control-plane/views/device-view.ts';
import type { DeviceRow } from '../../store/devices/device-store.ts';
import { implement } from '../implement.ts';
import { EncodedJson } from '../responses.ts';

type Encoded = WeakMap<Page<DeviceRow>, EncodedJson<Page<Device>>>;

/** By the page from the store, which returns the same object until the list changes. */
const encoded: { forOperators: Encoded; forOthers: Encoded } = {
  forOperators: new WeakMap(),
  forOthers: new WeakMap(),
};

export const listDevices = implement('devices.list', async ({ store }, { query, principal }) => {
  const { page: number, page_size: pageSize, ...filters } = query;
  const { accountId, role } = principal;
  const page = await store.listDevices({ ...filters, accountId, page: number, pageSize });
  const cache = role === 'admin' ? encoded.forOperators : encoded.forOthers;
  const items = () => page.items.map((row) => toDeviceFor(role, row));
  const response = cache.get(page) ?? new EncodedJson({ ...page, items: items() });
  cache.set(page, response);
  return response;
});
