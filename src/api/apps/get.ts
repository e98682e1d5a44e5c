import { appNotFound } from '../../control-plane/refusal-errors.ts';
import { implement } from '../implement.ts';
import { toApp } from './app-view.ts';

export const getApp = implement('apps.get', async ({ store }, { principal, params }) => {
  const app = await store.getApp(params.app_id, principal.accountId);
  if (!app) throw appNotFound(params.app_id);
  return toApp(app);
});
