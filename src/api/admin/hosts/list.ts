import { toHost } from '../../../control-plane/views/host-view.ts';
import { implement } from '../../implement.ts';

export const listHosts = implement('admin.hosts.list', async ({ store }, { query }) => {
  const page = await store.listHosts({ page: query.page, pageSize: query.page_size });
  return { ...page, items: page.items.map(toHost) };
});
