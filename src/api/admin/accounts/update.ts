import { invalidField } from '../../../contract/http/errors.ts';
import { nameTaken, resourceNotFound } from '../../../control-plane/refusal-errors.ts';
import { publishSessions } from '../../../control-plane/session-changes.ts';
import { toAccount } from '../../../control-plane/views/account-view.ts';
import { implement } from '../../implement.ts';

export const updateAccount = implement('admin.accounts.update', async (context, call) => {
  const { name, quota_minutes, max_sessions, max_app_bytes, disabled } = call.body;
  const { record_sessions, max_artifact_bytes, artifact_days } = call.body;
  const accountId = call.params.account_id;
  if (disabled && accountId === call.principal.accountId) {
    throw invalidField(
      'body.disabled',
      'must not be true for the account of the requesting key, because you would lose access; use a key of ' +
        'another account',
    );
  }
  const outcome = await context.store.updateAccount(
    {
      accountId,
      name,
      quotaMinutes: quota_minutes,
      maxSessions: max_sessions,
      maxAppBytes: max_app_bytes,
      recordSessions: record_sessions,
      maxArtifactBytes: max_artifact_bytes,
      artifactDays: artifact_days,
      disabled,
    },
    call.audit,
  );
  if (!outcome) throw resourceNotFound('account', accountId);
  if (outcome === 'name-taken') throw nameTaken();
  publishSessions(context, outcome.ended);
  return toAccount(outcome.account);
});
