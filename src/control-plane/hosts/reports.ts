import { type BusRequests, MAX_REFUSALS } from '../../bus/messages.ts';
import type { RefusedPhone } from '../../store/hosts/host-store.ts';
import { LogThrottle } from '../../util/log-throttle.ts';
import type { ControlPlaneContext } from '../context.ts';
import { announceSession, type Publisher } from '../session-changes.ts';
import { sanitiseReport } from './sanitise.ts';

type Report = BusRequests['control-plane.report'];

const throttle = new LogThrottle();

/** Stores a host's report, and returns the assignments that the host should have according to the store. */
export async function handleReport(
  context: Pick<ControlPlaneContext, 'store' | 'steps' | 'log' | 'hostsMustBeKnown' | 'maxDevicesPerHost'> &
    Publisher,
  request: Report['request'],
  hostId: string,
): Promise<Report['response']> {
  const { store, steps, hostsMustBeKnown, maxDevicesPerHost } = context;
  const { report, invalidIds } = sanitiseReport(request);
  const limits = { mustBeKnown: hostsMustBeKnown, maxDevices: maxDevicesPerHost };
  const answer = await store.reportHost({ ...report, hostId, ...limits });
  if (!answer)
    throw new Error(`host ${hostId} is revoked or was never added; add it with phonebooth hosts add`);
  for (const session of answer.changed) {
    announceSession(context, session);
    const { id, connectedAt, createdAt, expiresAt, remainingMs } = session;
    // A report may also announce a change of the app. `expiresAt - remainingMs` is the store's time of this report,
    // so it equals `connectedAt` only if the session became connected in it.
    if (connectedAt !== null && connectedAt === expiresAt - remainingMs)
      steps.begin('session.connected', id, { startedMsAgo: connectedAt - createdAt }).end();
  }
  const refused = answer.refused.slice(0, MAX_REFUSALS).map((phone) => whyRefused(phone, maxDevicesPerHost));
  if (invalidIds > 0) {
    const phones =
      invalidIds === 1
        ? '1 phone has an invalid identifier'
        : `${invalidIds} phones have invalid identifiers`;
    refused.unshift(`${phones}; an identifier must have 1 to 128 letters, digits and . : _ -`);
  }
  if (refused.length > 0) {
    throttle.log(hostId, (suppressed) =>
      context.log.warn({ hostId, refused, suppressed }, 'phones in a host report rejected'),
    );
  }
  return {
    orders: answer.assignments,
    reportAll: answer.wasLost && !report.complete,
    ...(refused.length > 0 && { refused: refused.slice(0, MAX_REFUSALS) }),
  };
}

function whyRefused({ deviceId, why }: RefusedPhone, maxDevices: number): string {
  return why.reason === 'other-host'
    ? `device ${deviceId} belongs to host ${why.hostId}; move it with phonebooth hosts move-device`
    : `device ${deviceId} exceeds the limit of ${maxDevices} devices for each host ` +
        '(PHONEBOOTH_MAX_DEVICES_PER_HOST)';
}
