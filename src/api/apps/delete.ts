import { removeUnneeded } from '../../control-plane/apps/sweeper.ts';
import { appNotFound } from '../../control-plane/refusal-errors.ts';
import { implement } from '../implement.ts';

export const deleteApp = implement('apps.delete', async (context, { principal, params, audit }) => {
  const deleted = await context.store.deleteApp(params.app_id, principal.accountId, audit);
  if (!deleted) throw appNotFound(params.app_id);
  await removeUnneeded(context);
  return {};
});
