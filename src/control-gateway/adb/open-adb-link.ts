import { type Bus, BusError } from '../../bus/bus.ts';
import { DialRefusedError, requestLink } from '../../control-plane/request-link.ts';
import { UpgradeRejection } from '../../gateway/upgrade-rejection.ts';
import type { Link } from '../../link/link.ts';
import type { TicketIssuer } from '../../link/ticket-issuer.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { Log } from '../../util/log.ts';

/** The host may take up to 6 s to query the phone's adb features, and 5 s to dial. */
const TIMEOUT_MS = 12_000;

/**
 * Opens a link to the adb of a connected session's phone.
 * @throws UpgradeRejection: 403 when the phone has no adb or its operator does not allow it, 409 when the phone is not ready,
 * 503 otherwise
 */
export async function openAdbLink(
  context: { bus: Pick<Bus, 'request'>; tickets: TicketIssuer; log: Log },
  session: SessionRow,
): Promise<Link> {
  try {
    return await requestLink(context, session, {
      purpose: 'adb',
      timeoutMs: TIMEOUT_MS,
      late: 'the link from the device host did not arrive',
      receive: (link) => link,
    });
  } catch (error) {
    if (error instanceof DialRefusedError) throw new UpgradeRejection('forbidden', error.message);
    context.log.info({ err: error, sessionId: session.id }, 'host did not open an adb connection');
    // The row may be a heartbeat ahead of or behind the host's state.
    if (error instanceof BusError && error.kind === 'failed')
      throw new UpgradeRejection('sessionNotConnected', 'the phone is not ready for adb; try again');
    throw new UpgradeRejection('unavailable', 'the host of the phone cannot be reached; try again');
  }
}
