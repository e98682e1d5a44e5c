import type { BusRequests } from '../../bus/messages.ts';
import { leaseOf } from '../../control-plane/order-host.ts';
import { type Announcers, type ApiContext, announce } from '../implement.ts';
import { words } from './sanitise.ts';

type Ended = BusRequests['control-plane.ended'];

/**
 * Handles a host's message that a session ended. A message that is repeated, late, or about a session of another host
 * changes nothing. If the session was extended and has not expired, the response contains its current lease.
 */
export async function takeEnded(
  context: Pick<ApiContext, 'store'> & Announcers,
  { sessionId, epoch, reason, detail }: Ended['request'],
  hostId: string,
): Promise<Ended['response']> {
  const outcome = await context.store.end({
    sessionId,
    hostId,
    epoch,
    reason,
    detail: words(detail) ?? undefined,
  });
  if (outcome?.ended) announce(context, outcome.session);
  if (!outcome || outcome.session.status === 'disconnected') return {};
  return { lease: leaseOf(outcome.session) };
}
