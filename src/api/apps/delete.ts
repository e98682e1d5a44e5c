import { removeUnneeded } from '../../control-plane/apps/sweeper.ts';
import { appNotFound } from '../../control-plane/refusal-errors.ts';
import { logUnlessOutage } from '../../store/outage-log.ts';
import { implement } from '../implement.ts';

export const deleteApp = implement('apps.delete', async (context, { principal, params, audit }) => {
  const deleted = await context.store.deleteApp(params.app_id, principal.accountId, audit);
  if (!deleted) throw appNotFound(params.app_id);
  // The periodic sweeper removes what cannot be removed now.
  await removeUnneeded(context).catch((err: unknown) =>
    logUnlessOutage(
      context.log,
      'warn',
      { err, appId: params.app_id },
      'files of a deleted app remain for now',
    ),
  );
  return {};
});
