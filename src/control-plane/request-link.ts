import type { Bus, BusError } from '../bus/bus.ts';
import type { BusRequests, FileTask } from '../bus/messages.ts';
import type { ApiError } from '../contract/http/errors.ts';
import type { Link } from '../link/link.ts';
import type { TicketIssuer } from '../link/ticket-issuer.ts';
import type { SessionRow } from '../store/entities.ts';
import { withDeadline } from '../util/deadline.ts';
import { sanitiseText } from './hosts/sanitise.ts';
import { sessionNotConnected } from './refusal-errors.ts';

export interface LinkRequest<T> {
  purpose: BusRequests['host.dial']['request']['purpose'];
  /** The operation that a link with the purpose `file` is for. */
  file?: FileTask;
  /** Total time for the response of the host, the arrival of its link, and `receive`. */
  timeoutMs: number;
  /** What did not happen in time, as a clause of the error message. */
  late: string;
  /** Takes the link over, as soon as the host has responded. */
  receive: (link: Link) => T | Promise<T>;
}

/** A host declines to dial. The message is its reason, sanitised. */
export class DialRefusedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'DialRefusedError';
  }
}

/**
 * Asks the host of a session to dial a link, and returns what `receive` returns. The link is closed on a failure.
 * @throws DialRefusedError, BusError, TimeoutError, or the error of `receive`
 */
export async function requestLink<T>(
  { bus, tickets }: { bus: Pick<Bus, 'request'>; tickets: TicketIssuer },
  { id: sessionId, epoch, hostId }: SessionRow,
  { purpose, file, timeoutMs, late, receive }: LinkRequest<T>,
): Promise<T> {
  const want = { sessionId, epoch, purpose };
  const arrival = Promise.withResolvers<Link>();
  const { ticket, cancel } = tickets.issue(want, arrival.resolve);
  const request = { ...want, ingest: tickets.ingest, ticket, ...(file && { file }) };
  const dial = async () => {
    const { refused } = await bus.request('host.dial', hostId, request, { timeoutMs });
    if (refused !== undefined) throw new DialRefusedError(sanitiseText(refused));
    return receive(await arrival.promise);
  };
  try {
    return await withDeadline(dial(), timeoutMs, late);
  } catch (error) {
    void arrival.promise.then((link) => link.close());
    throw error;
  } finally {
    cancel();
  }
}

/** Converts a failed request to a host to an API error. `failed` creates the error for a host that did not respond. */
export function dialError({ kind }: BusError, failed: (why: string) => ApiError): ApiError {
  // The host does not know the session: the row is newer or older than the host's state.
  if (kind === 'failed') return sessionNotConnected();
  return failed(
    kind === 'timeout'
      ? 'its host did not answer in time; try again'
      : 'its host cannot be reached; try again later',
  );
}
