import { scaleImage } from '../../control-plane/scale-image.ts';
import { takeScreenshot } from '../../control-plane/take-screenshot.ts';
import { Slots } from '../../util/slots.ts';
import { implement } from '../implement.ts';
import { reserveSlot } from '../limits/reserve-slot.ts';
import { ImageResponse } from '../responses.ts';
import { liveSession } from './live-session.ts';

/**
 * Each screenshot in progress, also that of a WebDriver client, holds an image in memory, and a thread while it is scaled.
 */
export const SCREENSHOTS = new Slots({ total: 100, perSubject: 20 });

export const screenshotSession = implement('sessions.screenshot', async (context, call) => {
  const { principal, params, query } = call;
  const session = await liveSession(context, params.session_id, principal.accountId);
  using _slot = reserveSlot(SCREENSHOTS, principal.accountId, 'screenshots');
  const png = await takeScreenshot(context, session);
  const { max_side: maxSide } = query;
  return new ImageResponse('image/png', maxSide === undefined ? png : await scaleImage(png, maxSide));
});
