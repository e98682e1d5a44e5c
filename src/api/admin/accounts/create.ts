import { creationError } from '../../../control-plane/refusal-errors.ts';
import { toAccount } from '../../../control-plane/views/account-view.ts';
import { addedParts, idempotency } from '../../idempotency.ts';
import { implement } from '../../implement.ts';

/** A limit that is left out takes the service's default; null means unlimited. */
export const createAccount = implement('admin.accounts.create', async (context, call) => {
  const { name, quota_minutes, max_sessions, max_app_bytes } = call.body;
  const { record_sessions, max_artifact_bytes, artifact_days } = call.body;
  const { quotaMinutes, maxSessions, maxAppBytes, maxArtifactBytes, artifactDays } = context.newAccounts;
  const account = {
    name,
    quotaMinutes: quota_minutes === undefined ? quotaMinutes : quota_minutes,
    maxSessions: max_sessions === undefined ? maxSessions : max_sessions,
    maxAppBytes: max_app_bytes === undefined ? maxAppBytes : max_app_bytes,
    recordSessions: record_sessions,
    maxArtifactBytes: max_artifact_bytes === undefined ? maxArtifactBytes : max_artifact_bytes,
    artifactDays: artifact_days === undefined ? artifactDays : artifact_days,
  };
  const outcome = await context.store.createAccount(
    {
      account,
      by: call.principal.accountId,
      idempotency: idempotency(call.idempotencyKey, [
        'account',
        name,
        quota_minutes,
        max_sessions,
        max_app_bytes,
        ...addedParts({ record_sessions: record_sessions || undefined, max_artifact_bytes, artifact_days }),
      ]),
    },
    call.audit,
  );
  if (!outcome.ok) throw creationError(outcome.refusal, name);
  return toAccount(outcome.created);
});
