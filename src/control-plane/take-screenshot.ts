import { BusError } from '../bus/bus.ts';
import { SCREENSHOT_DEADLINE_MS } from '../contract/sockets/control-deadlines.ts';
import { type Link, LinkError } from '../link/link.ts';
import type { SessionRow } from '../store/entities.ts';
import type { ControlPlaneContext } from './context.ts';
import { phoneUnavailable } from './refusal-errors.ts';
import { DialRefusedError, dialError, requestLink } from './request-link.ts';

/**
 * Takes a screenshot of a connected session, as PNG. It arrives over a dedicated link, because it is too large for
 * the bus.
 * @throws ApiError 40014 when the host does not serve the session yet, 50300 when the phone or the link failed
 */
export async function takeScreenshot(
  context: Pick<ControlPlaneContext, 'bus' | 'tickets'>,
  session: SessionRow,
): Promise<Uint8Array> {
  try {
    return await requestLink(context, session, {
      purpose: 'screenshot',
      timeoutMs: SCREENSHOT_DEADLINE_MS,
      late: 'the screenshot did not arrive',
      receive: firstBytes,
    });
  } catch (error) {
    if (error instanceof BusError) throw dialError(error, failed);
    throw error instanceof DialRefusedError || error instanceof LinkError ? failed(error.message) : error;
  }
}

const failed = (why: string) => phoneUnavailable('take a screenshot', why);

function firstBytes(link: Link): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  link.onMessage((message) => {
    if (typeof message === 'string') return;
    resolve(message);
    link.close();
  });
  link.onClose(() =>
    reject(new LinkError('its host closed the link before the screenshot arrived; try again')),
  );
  return promise;
}
