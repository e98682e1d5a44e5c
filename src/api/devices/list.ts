import { toDevice } from '../../control-plane/device-view.ts';
import { implement } from '../implement.ts';

export const listDevices = implement('devices.list', async ({ store }, { query, principal }) => {
  const page = await store.listDevices({
    accountId: principal.accountId,
    brand: query.brand?.toLowerCase() || undefined,
    osVersion: query.os_version || undefined,
    status: query.status || undefined,
    page: query.page,
    pageSize: query.page_size,
  });
  return { ...page, items: page.items.map(toDevice) };
});
