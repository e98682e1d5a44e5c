import { toGroup } from '../../../control-plane/views/group-view.ts';
import { implement } from '../../implement.ts';

export const listGroups = implement('admin.groups.list', async ({ store }, { query }) => {
  const page = await store.listGroups({ page: query.page, pageSize: query.page_size });
  return { ...page, items: page.items.map(toGroup) };
});
