import type { LeaseOrder } from '../bus/messages.ts';
import type { SessionRow } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { ControlPlaneContext } from './context.ts';

const ORDER_TIMEOUT_MS = 2_000;

/** The services needed to publish a change of a session. */
export type Publisher = Pick<ControlPlaneContext, 'bus' | 'log'> & {
  store: Pick<Store, 'getArtifactRoom'>;
  meter: Pick<ControlPlaneContext['meter'], 'sessionEnded'>;
};

/**
 * Publishes a change of a session that a client, an operator or this process made: announces it on the bus, and orders
 * the session's host.
 */
export function publishSession(context: Publisher, session: SessionRow): void {
  announceSession(context, session);
  orderHost(context, session);
}

/** Publishes each of several changed sessions. */
export function publishSessions(context: Publisher, sessions: SessionRow[]): void {
  for (const session of sessions) publishSession(context, session);
}

/**
 * Announces a change of a session's row on the bus. Subscribers read the row. Used alone for a change that the host
 * itself reported.
 */
export function announceSession(
  { bus, log, meter }: Pick<Publisher, 'bus' | 'log' | 'meter'>,
  session: SessionRow,
): void {
  const { id: sessionId, deviceId, accountId, status, endReason, hostId } = session;
  log.info({ sessionId, deviceId, accountId, status, endReason }, 'session changed');
  if (endReason !== null) meter.sessionEnded(endReason);
  bus.publish('session.changed', { sessionId, hostId, status, endReason });
}

/** Announces that the recording of a session is complete or has failed, which usually follows the end of the session. */
export function announceRecording({ bus, log }: Pick<Publisher, 'bus' | 'log'>, session: SessionRow): void {
  const { id: sessionId, accountId, status, endReason, hostId, recording } = session;
  log.info({ sessionId, accountId, recording }, 'recording finished');
  bus.publish('session.changed', { sessionId, hostId, status, endReason });
}

/**
 * Immediately sends the session's host the assignment that it would otherwise receive with its next complete report:
 * serve the session while it is live, or be clean up to its epoch once it has ended. If the message is lost, the host
 * receives the assignment six seconds later.
 */
function orderHost({ store, bus, log }: Pick<Publisher, 'store' | 'bus' | 'log'>, session: SessionRow): void {
  const { id: sessionId, deviceId, hostId, epoch, status, recording } = session;
  const send = (lease: LeaseOrder | null) => {
    const orders = [{ deviceId, epoch, cleanEpoch: null, lease }];
    return bus.request('host.orders', hostId, { orders }, { timeoutMs: ORDER_TIMEOUT_MS });
  };
  const onError = (error: Error) =>
    log.debug(
      { sessionId, hostId, error: error.message },
      'host did not accept its order; its next report will return it',
    );
  if (status === 'disconnected') send(null).catch(onError);
  // Without a read of the store, the order is sent before anything else happens.
  else if (recording === null || recording.isFinished) send(leaseWith(session, null)).catch(onError);
  else leaseOf(store, session).then(send).catch(onError);
}

/** The lease that the host of a live session must serve. */
export async function leaseOf(store: Publisher['store'], session: SessionRow): Promise<LeaseOrder> {
  const { recording, accountId } = session;
  if (recording === null || recording.isFinished) return leaseWith(session, null);
  return leaseWith(session, { text: recording.text, maxBytes: await store.getArtifactRoom(accountId) });
}

function leaseWith(
  { id: sessionId, epoch, remainingMs, appId, appRequest }: SessionRow,
  recording: LeaseOrder['recording'],
): LeaseOrder {
  const app = appId === null ? null : { appId, request: appRequest };
  return { sessionId, epoch, remainingMs, app, ...(recording && { recording }) };
}
