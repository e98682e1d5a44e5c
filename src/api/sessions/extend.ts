import { orderHost } from '../../control-plane/order-host.ts';
import { announce, implement } from '../implement.ts';
import { refusalError, sessionNotFound } from '../refuse.ts';
import { toSession } from '../session-view.ts';

export const extendSession = implement(
  'sessions.extend',
  async (context, { principal, params, body, audit }) => {
    const outcome = await context.store.extend(
      {
        sessionId: params.session_id,
        accountId: principal.accountId,
        minutes: body.duration,
        maxMinutes: context.maxDurationMinutes,
      },
      audit,
    );
    if (!outcome) throw sessionNotFound(params.session_id);
    if (!outcome.ok) throw refusalError(outcome.refusal, params.session_id);
    announce(context, outcome.session);
    orderHost(context, outcome.session);
    return toSession(context, outcome.session, principal);
  },
);
