import type { Queued } from '../../contract/http/queue.ts';
import type { AuditEvent } from '../../store/audit/audit-store.ts';
import type { BorrowCommand } from '../../store/queue/phone-queue.ts';

/** A request to borrow a phone: the filter, the account and the terms of the session. */
export type BorrowRequest = Omit<BorrowCommand, 'wait'>;

export interface BorrowOptions {
  audit: AuditEvent;
  /** How long to wait in the queue; 0: do not wait. */
  waitSeconds: number;
  /** Aborted when the client disconnects before it has received a response. */
  gone: AbortSignal;
  /**
   * Called with the position in the queue: when the wait begins, when the position changes, and every few seconds.
   */
  onQueued?: (queued: Queued) => void;
}
