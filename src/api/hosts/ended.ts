import type { BusRequests } from '../../bus/messages.ts';
import { leaseOf } from '../../control-plane/order-host.ts';
import { type Announcers, type ApiContext, announce } from '../implement.ts';
import { words } from './sanitise.ts';

type Ended = BusRequests['control-plane.ended'];

/**
 * A host says that a session ended on its side; saying so twice, late, or of another host's changes nothing. One that was extended
 * does not expire: the host is answered how long it goes on.
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
