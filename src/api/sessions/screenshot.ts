import { sessionEnded, sessionNotConnected, sessionNotFound } from '../../control-plane/refusal-errors.ts';
import { scaleImage } from '../../control-plane/scale-image.ts';
import { takeScreenshot } from '../../control-plane/take-screenshot.ts';
import { Slots } from '../../util/slots.ts';
import { ImageResponse, implement } from '../implement.ts';
import { reserveSlot } from '../limits/reserve-slot.ts';

/** Each screenshot in progress holds an image in memory, and a thread while it is scaled. */
const SCREENSHOTS = new Slots({ total: 100, perSubject: 20 });

export const screenshotSession = implement('sessions.screenshot', async (context, call) => {
  const { principal, params, query } = call;
  const session = await context.store.getSession(params.session_id, principal.accountId);
  if (!session) throw sessionNotFound(params.session_id);
  if (session.status === 'disconnected') throw sessionEnded(session.id);
  if (session.status === 'connecting') throw sessionNotConnected();
  using _slot = reserveSlot(SCREENSHOTS, principal.accountId, 'screenshots');
  const png = await takeScreenshot(context, session);
  const { max_side: maxSide } = query;
  return new ImageResponse('image/png', maxSide === undefined ? png : await scaleImage(png, maxSide));
});
