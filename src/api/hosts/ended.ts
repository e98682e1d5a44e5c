import type { BusRequests } from '../../bus/messages.ts';
import { type Announcers, type ApiContext, announce } from '../implement.ts';
import { words } from './sanitise.ts';

type Ended = BusRequests['control-plane.ended'];

/** A host says that a session ended on its side; saying so twice, late, or of another host's changes nothing. */
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
  return {};
}
