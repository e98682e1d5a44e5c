import type { Queued } from '../../contract/queue.ts';
import type { AuditEvent } from '../../store/admin-store.ts';
import type { BorrowCommand } from '../../store/phone-queue.ts';

/** What is to be lent, and to whom. */
export type Loan = Omit<BorrowCommand, 'wait'>;

export interface BorrowOptions {
  audit: AuditEvent;
  /** 0: the answer is wanted at once. */
  waitSeconds: number;
  /** Aborted when the client has gone without an answer. */
  gone: AbortSignal;
  /** Told where the request stands: when it begins to wait, when that changes, and every few seconds. */
  onQueued?: (queued: Queued) => void;
}
