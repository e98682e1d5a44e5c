import { orderHost } from '../../control-plane/order-host.ts';
import { announce, implement } from '../implement.ts';
import { sessionNotFound } from '../refuse.ts';
import { toSession } from '../session-view.ts';

export const disconnectSession = implement(
  'sessions.disconnect',
  async (context, { principal, params, audit }) => {
    const outcome = await context.store.end(
      {
        sessionId: params.session_id,
        accountId: principal.accountId,
        reason: 'client',
      },
      audit,
    );
    if (!outcome) throw sessionNotFound(params.session_id);
    if (outcome.ended) {
      announce(context, outcome.session);
      orderHost(context, outcome.session);
    }
    return toSession(context, outcome.session, principal);
  },
);
