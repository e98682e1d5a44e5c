import { BusError } from '../bus/bus.ts';
import { ApiError } from '../contract/http/errors.ts';
import { SCREENSHOT_DEADLINE_MS } from '../contract/sockets/control-deadlines.ts';
import { type Link, LinkError } from '../link/link.ts';
import type { SessionRow } from '../store/entities.ts';
import { withDeadline } from '../util/deadline.ts';
import type { ControlPlaneContext } from './context.ts';
import { words } from './hosts/sanitise.ts';
import { sessionNotConnected } from './refusal-errors.ts';

/**
 * Takes a screenshot of a connected session, as PNG. It arrives over a dedicated link, because it is too large for
 * the bus.
 * @throws ApiError 40014 when the host does not serve the session yet, 50300 when the phone or the link failed
 */
export async function takeScreenshot(
  { bus, tickets }: Pick<ControlPlaneContext, 'bus' | 'tickets'>,
  { id: sessionId, epoch, hostId }: SessionRow,
): Promise<Uint8Array> {
  const want = { sessionId, epoch, purpose: 'screenshot' as const };
  const arrival = Promise.withResolvers<Link>();
  const { ticket, cancel } = tickets.issue(want, arrival.resolve);
  const request = { ...want, ingest: tickets.ingest, ticket };
  const image = async () => {
    const timeoutMs = SCREENSHOT_DEADLINE_MS;
    const { refused } = await bus.request('host.dial', hostId, request, { timeoutMs });
    if (refused !== undefined) throw failed(words(refused)!);
    return firstBytes(await arrival.promise);
  };
  try {
    return await withDeadline(image(), SCREENSHOT_DEADLINE_MS, 'the screenshot did not arrive');
  } catch (error) {
    throw explain(error);
  } finally {
    cancel();
    void arrival.promise.then((link) => link.close());
  }
}

const failed = (why: string) =>
  new ApiError('unavailable', `the phone could not take a screenshot: ${why}`, {}, { 'retry-after': '2' });

function explain(error: unknown): unknown {
  // The host does not know the session: the row is newer or older than the host's state.
  if (error instanceof BusError && error.kind === 'failed') return sessionNotConnected();
  if (error instanceof BusError) {
    return failed(
      error.kind === 'timeout'
        ? 'its host did not answer in time; try again'
        : 'its host cannot be reached; try again later',
    );
  }
  if (error instanceof LinkError) return failed(error.message);
  return error;
}

function firstBytes(link: Link): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  link.onMessage((message) => {
    if (typeof message !== 'string') resolve(message);
  });
  link.onClose(() =>
    reject(new LinkError('its host closed the link before the screenshot arrived; try again')),
  );
  return promise;
}
