import type { Bus } from '../bus/bus.ts';
import type { OperationAnswer, OperationId, OperationInput } from '../contract/operations.ts';
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

/** Who asks, and what they ask. */
export interface Call<Id extends OperationId> extends OperationInput<Id> {
  principal: Principal;
  /** The `Idempotency-Key` header, where the operation takes one. */
  idempotencyKey: string | null;
}

/** A handler authorises by its operation's `access`, calls one rule or query, and shapes the answer. */
export interface Implementation<Id extends OperationId = OperationId> {
  id: Id;
  handle(context: ApiContext, call: Call<Id>): Promise<OperationAnswer<Id>>;
}

export function implement<Id extends OperationId>(
  id: Id,
  handle: Implementation<Id>['handle'],
): Implementation<Id> {
  return { id, handle };
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
