import { NO_GROUP } from '../../../contract/http/group.ts';
import { implement } from '../../implement.ts';
import { toFleetDevice } from './device-view.ts';

export const listFleetDevices = implement('admin.devices.list', async ({ store }, { query }) => {
  const page = await store.listFleetDevices({
    condition: query.condition || undefined,
    hostId: query.host_id || undefined,
    groupId: query.group_id === NO_GROUP ? null : query.group_id || undefined,
    brand: query.brand || undefined,
    search: query.search || undefined,
    page: query.page,
    pageSize: query.page_size,
  });
  return { ...page, items: page.items.map(toFleetDevice) };
});
