import type { Bus } from '../bus/bus.ts';
import type { LeaseOrder } from '../bus/messages.ts';
import type { SessionRow } from '../store/store.ts';
import type { Log } from '../util/log.ts';

const ORDER_TIMEOUT_MS = 2_000;

/**
 * Sends the session's host immediately the order that it would otherwise receive with its next complete report: serve
 * the session while it is live, or be clean up to its epoch once it has ended. If the order is lost, the host learns
 * it six seconds later.
 */
export function orderHost(
  { bus, log }: { bus: Pick<Bus, 'request'>; log: Pick<Log, 'debug'> },
  session: SessionRow,
): void {
  const { id: sessionId, deviceId, hostId, epoch } = session;
  const lease = session.status === 'disconnected' ? null : leaseOf(session);
  bus
    .request(
      'host.orders',
      hostId,
      { orders: [{ deviceId, epoch, cleanEpoch: null, lease }] },
      { timeoutMs: ORDER_TIMEOUT_MS },
    )
    .catch((error: Error) =>
      log.debug({ sessionId, hostId, error: error.message }, 'the host will learn by heartbeat'),
    );
}

/** The lease that the host of a live session must serve. */
export function leaseOf({ id: sessionId, epoch, remainingMs, appId, appRequest }: SessionRow): LeaseOrder {
  return { sessionId, epoch, remainingMs, app: appId === null ? null : { appId, request: appRequest } };
}
