import type { Queued } from '../../contract/http/queue.ts';
import type { AuditEvent } from '../../store/audit/audit-store.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { BorrowCommand, PhoneFilter } from '../../store/queue/phone-queue.ts';
import type { ClientTrace } from '../../util/steps.ts';

/** A request to borrow a phone: the filter, the account and the terms of the session. */
export type BorrowRequest = Omit<BorrowCommand, 'wait'>;

export interface BorrowOptions {
  audit: AuditEvent;
  /** How long to wait in the queue; 0: do not wait. */
  waitSeconds: number;
  /** Aborted when the client disconnects before it has received a response. */
  disconnected: AbortSignal;
  /** The trace that the client is recording. */
  client?: ClientTrace;
  /**
   * Called with the position in the queue: when the wait begins, when the position changes, and every few seconds.
   */
  onQueued?: (queued: Queued) => void;
}

/** A request that waits for a phone in this process. */
export interface Waiter extends BorrowOptions {
  request: BorrowRequest;
  /** When the wait times out, `performance.now()`. */
  until: number;
  answer: PromiseWithResolvers<SessionRow>;
  lastPosition: { text: string; at: number } | null;
}

/** Equal for equal filters. */
export const filterKey = ({ brand, osVersion, model }: PhoneFilter) =>
  JSON.stringify([brand, osVersion, model]);

/** The filters of the requests, each once. */
export function filtersOf(waiters: Waiter[]): PhoneFilter[] {
  return [...new Map(waiters.map(({ request: { filter } }) => [filterKey(filter), filter])).values()];
}
