import { refusalError, sessionNotFound } from '../../control-plane/refusal-errors.ts';
import { publishSession } from '../../control-plane/session-changes.ts';
import { toSession } from '../../control-plane/views/session-view.ts';
import { idempotency } from '../idempotency.ts';
import { implement } from '../implement.ts';

export const installApp = implement('sessions.install', async (context, call) => {
  const sessionId = call.params.session_id;
  const appId = call.body.app_id;
  const outcome = await context.store.requestApp(
    {
      sessionId,
      accountId: call.principal.accountId,
      appId,
      idempotency: idempotency(call.idempotencyKey, ['install', sessionId, appId]),
    },
    call.audit,
  );
  if (!outcome) throw sessionNotFound(sessionId);
  if (!outcome.ok) throw refusalError(outcome.refusal, sessionId, appId);
  const { session, replayed } = outcome;
  if (!replayed) {
    publishSession(context, session);
  }
  return toSession(context, session, call.principal);
});
