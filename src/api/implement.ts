import type { Bus } from '../bus/bus.ts';
import type { OperationId, OperationTypes } from '../contract/operations.ts';
import type { Principal, SessionRow, Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';

/** What every operation works with. */
export interface ApiContext {
  store: Store;
  bus: Bus;
  log: Log;
  /** Public origins of the two socket hosts. */
  origins: { stream: string; control: string };
  /** Signs the tokens in socket addresses. */
  tokenKey: Uint8Array;
  maxDurationMinutes: number;
}

/** Who asks, beside what they ask. */
interface Caller {
  principal: Principal;
  /** The `Idempotency-Key` header, where the operation takes one. */
  idempotencyKey: string | null;
}

type Input<Id extends OperationId> = Pick<OperationTypes[Id], 'params' | 'query' | 'body'>;

/** One operation's handler. Its input has been checked against the operation's schemas. */
export interface Implementation {
  id: OperationId;
  handle(
    context: ApiContext,
    call: { params: unknown; query: unknown; body: unknown } & Caller,
  ): Promise<unknown>;
}

/** A handler authorises by its operation's `access`, calls one rule or query, and shapes the answer. */
export function implement<Id extends OperationId>(
  id: Id,
  handle: (context: ApiContext, call: Input<Id> & Caller) => Promise<OperationTypes[Id]['answer']>,
): Implementation {
  return { id, handle: handle as unknown as Implementation['handle'] };
}

/** Tells whoever listens that a session's row changed; they read the row. */
export function announce(bus: Bus, session: SessionRow): void {
  bus.publish('session.changed', {
    sessionId: session.id,
    hostId: session.hostId,
    status: session.status,
    endReason: session.endReason,
  });
}
