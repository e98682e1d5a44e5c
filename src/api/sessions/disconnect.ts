import { sessionNotFound } from '../../control-plane/refusal-errors.ts';
import { publishSession } from '../../control-plane/session-changes.ts';
import { toSession } from '../../control-plane/views/session-view.ts';
import { implement } from '../implement.ts';

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
      publishSession(context, outcome.session);
    }
    return toSession(context, outcome.session, principal);
  },
);
