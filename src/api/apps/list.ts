import { implement } from '../implement.ts';
import { toApp } from './app-view.ts';

export const listApps = implement('apps.list', async ({ store }, { principal, query }) => {
  const { accountId } = principal;
  const page = await store.listApps({ accountId, page: query.page, pageSize: query.page_size });
  return { ...page, items: page.items.map(toApp) };
});
