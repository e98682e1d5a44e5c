import type { BusRequests } from '../../bus/messages.ts';
import type { ControlPlaneContext } from '../context.ts';
import { announceSession, leaseOf, type Publisher } from '../session-changes.ts';
import { sanitiseText } from './sanitise.ts';

type Ended = BusRequests['control-plane.ended'];

/**
 * Handles a host's message that a session ended. A message that is repeated, late, or about a session of another host
 * changes nothing. If the session was extended and has not expired, the response contains its current lease.
 */
export async function handleSessionEnded(
  context: Pick<ControlPlaneContext, 'store'> & Publisher,
  { sessionId, epoch, reason, detail }: Ended['request'],
  hostId: string,
): Promise<Ended['response']> {
  const outcome = await context.store.end({
    sessionId,
    hostId,
    epoch,
    reason,
    detail: sanitiseText(detail) ?? undefined,
  });
  if (outcome?.ended) announceSession(context, outcome.session);
  if (!outcome || outcome.session.status === 'disconnected') return {};
  return { lease: await leaseOf(context.store, outcome.session) };
}
