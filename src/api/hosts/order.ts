import type { SessionRow } from '../../store/store.ts';
import { type Announcers, type ApiContext, announce } from '../implement.ts';

const ORDER_TIMEOUT_MS = 2_000;

/**
 * Tells the session's host at once what it would learn from its next complete report: serve the session while it is
 * live, be clean up to its epoch when it has ended. A lost order costs six seconds, nothing else.
 */
export function orderHost({ bus, log }: Pick<ApiContext, 'bus' | 'log'>, session: SessionRow): void {
  const { id: sessionId, deviceId, hostId, epoch, remainingMs, appId } = session;
  const app = appId === null ? null : { appId, request: session.appRequest };
  const lease = session.status === 'disconnected' ? null : { sessionId, epoch, remainingMs, app };
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

/** Tells everybody who has to do with them that sessions ended. */
export function tellOfEnds(context: Announcers, sessions: SessionRow[]): void {
  for (const session of sessions) {
    announce(context, session);
    orderHost(context, session);
  }
}
