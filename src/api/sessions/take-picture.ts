import { type Link, LinkError } from '../../link/link.ts';
import type { SessionRow } from '../../store/store.ts';
import { withDeadline } from '../../util/deadline.ts';
import type { ApiContext } from '../implement.ts';

/** A phone takes a second or two for a picture; its host gives up after 9 s, and dials for 5 s at the most. */
const HOST_TIMEOUT_MS = 15_000;
/** The host answers when it has dialled; the picture is on its way then. */
const ARRIVAL_TIMEOUT_MS = 10_000;

/**
 * The screen of a connected session, PNG. It comes over a link of its own: a picture is too large for the bus.
 * @throws BusError `failed` when the host has no such session or its phone gave none; LinkError when it did not come.
 */
export async function takePicture(
  { bus, tickets }: Pick<ApiContext, 'bus' | 'tickets'>,
  { id: sessionId, epoch, hostId }: SessionRow,
): Promise<Uint8Array> {
  const want = { sessionId, epoch, purpose: 'screenshot' as const };
  const arrival = Promise.withResolvers<Link>();
  const { ticket, cancel } = tickets.issue(want, arrival.resolve);
  try {
    const request = { ...want, ingest: tickets.ingest, ticket };
    await bus.request('host.dial', hostId, request, { timeoutMs: HOST_TIMEOUT_MS });
    const picture = arrival.promise.then(firstBytes);
    return await withDeadline(picture, ARRIVAL_TIMEOUT_MS, 'the picture did not arrive in time');
  } finally {
    cancel();
    void arrival.promise.then((link) => link.close());
  }
}

function firstBytes(link: Link): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  link.onMessage((message) => {
    if (typeof message !== 'string') resolve(message);
  });
  link.onClose(() => reject(new LinkError('the host closed before the picture was there')));
  return promise;
}
