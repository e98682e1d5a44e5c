import { orderHost } from '../../control-plane/order-host.ts';
import { idempotency } from '../idempotency.ts';
import { announce, implement } from '../implement.ts';
import { refusalError, sessionNotFound } from '../refuse.ts';
import { toSession } from '../session-view.ts';

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
    announce(context, session);
    orderHost(context, session);
  }
  return toSession(context, session, call.principal);
});
