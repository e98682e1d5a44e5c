import { BusError } from '../../bus/bus.ts';
import { implement, Picture } from '../implement.ts';
import { sessionEnded, sessionNotConnected, sessionNotFound } from '../refuse.ts';
import { takePicture } from './take-picture.ts';

export const screenshotSession = implement('sessions.screenshot', async (context, { principal, params }) => {
  const session = await context.store.getSession(params.session_id, principal.accountId);
  if (!session) throw sessionNotFound(params.session_id);
  if (session.status === 'disconnected') throw sessionEnded(session.id);
  if (session.status === 'connecting') throw sessionNotConnected();
  try {
    return new Picture('image/png', await takePicture(context, session));
  } catch (error) {
    // The row may be a heartbeat ahead of the host, or behind it.
    if (error instanceof BusError && error.kind === 'failed') throw sessionNotConnected();
    throw error;
  }
});
