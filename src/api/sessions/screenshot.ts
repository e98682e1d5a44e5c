import { implement, Picture } from '../implement.ts';
import { sessionEnded, sessionNotConnected, sessionNotFound } from '../refuse.ts';
import { scalePicture } from './scale-picture.ts';
import { takePicture } from './take-picture.ts';

export const screenshotSession = implement('sessions.screenshot', async (context, call) => {
  const { principal, params, query } = call;
  const session = await context.store.getSession(params.session_id, principal.accountId);
  if (!session) throw sessionNotFound(params.session_id);
  if (session.status === 'disconnected') throw sessionEnded(session.id);
  if (session.status === 'connecting') throw sessionNotConnected();
  const picture = await takePicture(context, session);
  const { max_side: maxSide } = query;
  return new Picture('image/png', maxSide === undefined ? picture : await scalePicture(picture, maxSide));
});
