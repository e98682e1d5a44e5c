import { refusalError, sessionNotFound } from '../../control-plane/refusal-errors.ts';
import { publishSession } from '../../control-plane/session-changes.ts';
import { toSession } from '../../control-plane/views/session-view.ts';
import { implement } from '../implement.ts';

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
    publishSession(context, outcome.session);
    return toSession(context, outcome.session, principal);
  },
);
