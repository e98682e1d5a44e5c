import { creationError } from '../../../control-plane/refusal-errors.ts';
import { toAccount } from '../../../control-plane/views/account-view.ts';
import { idempotency } from '../../idempotency.ts';
import { implement } from '../../implement.ts';

/** A limit that is left out takes the service's default; null means unlimited. */
export const createAccount = implement('admin.accounts.create', async (context, call) => {
  const { name, quota_minutes, max_sessions, max_app_bytes } = call.body;
  const { quotaMinutes, maxSessions, maxAppBytes } = context.newAccounts;
  const account = {
    name,
    quotaMinutes: quota_minutes === undefined ? quotaMinutes : quota_minutes,
    maxSessions: max_sessions === undefined ? maxSessions : max_sessions,
    maxAppBytes: max_app_bytes === undefined ? maxAppBytes : max_app_bytes,
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
      ]),
    },
    call.audit,
  );
  if (!outcome.ok) throw creationError(outcome.refusal, name);
  return toAccount(outcome.created);
});
