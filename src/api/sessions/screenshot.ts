import { Slots } from '../../util/slots.ts';
import { implement, Picture } from '../implement.ts';
import { reserveSlot } from '../limits/reserve-slot.ts';
import { sessionEnded, sessionNotConnected, sessionNotFound } from '../refuse.ts';
import { scalePicture } from './scale-picture.ts';
import { takePicture } from './take-picture.ts';

/** Each screenshot in progress holds a picture in memory, and a thread while it is scaled. */
const SCREENSHOTS = new Slots({ total: 100, perSubject: 20 });

export const screenshotSession = implement('sessions.screenshot', async (context, call) => {
  const { principal, params, query } = call;
  const session = await context.store.getSession(params.session_id, principal.accountId);
  if (!session) throw sessionNotFound(params.session_id);
  if (session.status === 'disconnected') throw sessionEnded(session.id);
  if (session.status === 'connecting') throw sessionNotConnected();
  using _slot = reserveSlot(SCREENSHOTS, principal.accountId, 'screenshots');
  const picture = await takePicture(context, session);
  const { max_side: maxSide } = query;
  return new Picture('image/png', maxSide === undefined ? picture : await scalePicture(picture, maxSide));
});
