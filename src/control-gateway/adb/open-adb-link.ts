import { type Bus, BusError } from '../../bus/bus.ts';
import { UpgradeRejection } from '../../gateway/upgrade-rejection.ts';
import type { Link } from '../../link/link.ts';
import type { TicketIssuer } from '../../link/ticket-issuer.ts';
import type { SessionRow } from '../../store/entities.ts';
import { withDeadline } from '../../util/deadline.ts';
import type { Log } from '../../util/log.ts';
import { oneLine } from '../../util/one-line.ts';

/** The host may take up to 6 s to query the phone's adb features, and 5 s to dial. */
const HOST_TIMEOUT_MS = 12_000;
/** The host answers after it has dialled, so its link arrives soon after the answer. */
const ARRIVAL_TIMEOUT_MS = 5_000;
/** Maximum length of the host's reason, which is forwarded to the client. */
const MAX_REASON_LENGTH = 500;

/**
 * Opens a link to the adb of a connected session's phone.
 * @throws UpgradeRejection: 403 when the phone has no adb or its operator does not allow it, 409 when the phone is not ready,
 * 503 otherwise
 */
export async function openAdbLink(
  { bus, tickets, log }: { bus: Pick<Bus, 'request'>; tickets: TicketIssuer; log: Log },
  { id: sessionId, epoch, hostId }: SessionRow,
): Promise<Link> {
  const lease = { sessionId, epoch, purpose: 'adb' as const };
  const arrival = Promise.withResolvers<Link>();
  const { ticket, cancel } = tickets.issue(lease, arrival.resolve);
  try {
    const request = { ...lease, ingest: tickets.ingest, ticket };
    const { refused } = await bus.request('host.dial', hostId, request, { timeoutMs: HOST_TIMEOUT_MS });
    if (refused !== undefined) throw new UpgradeRejection('forbidden', oneLine(refused, MAX_REASON_LENGTH));
    return await withDeadline(
      arrival.promise,
      ARRIVAL_TIMEOUT_MS,
      'the link from the device host did not arrive',
    );
  } catch (error) {
    void arrival.promise.then((link) => link.close());
    if (error instanceof UpgradeRejection) throw error;
    log.info({ err: error, sessionId }, 'host did not open an adb connection');
    // The row may be a heartbeat ahead of or behind the host's state.
    if (error instanceof BusError && error.kind === 'failed')
      throw new UpgradeRejection('sessionNotConnected', 'the phone is not ready for adb; try again');
    throw new UpgradeRejection('unavailable', 'the host of the phone cannot be reached; try again');
  } finally {
    cancel();
  }
}
