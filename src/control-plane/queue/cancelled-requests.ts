import { logUnlessOutage } from '../../store/outage-log.ts';
import type { ControlPlaneContext } from '../context.ts';
import { type Publisher, publishSession } from '../session-changes.ts';
import type { BorrowRequest, Waiter } from './borrow-request.ts';

/** A request, with the audit event for the case that its session is created before it is undone. */
type Cancelled = Pick<Waiter, 'request' | 'audit'>;

/** Requests whose clients receive no session, until they are undone in the store. */
export class CancelledRequests {
  private readonly context: Pick<ControlPlaneContext, 'store'> & Publisher;
  private readonly requests = new Map<string, Cancelled>();
  private undoing: Promise<void> | null = null;
  private undoFails = false;

  constructor(context: Pick<ControlPlaneContext, 'store'> & Publisher) {
    this.context = context;
  }

  get size(): number {
    return this.requests.size;
  }

  get(sessionId: string): Cancelled | undefined {
    return this.requests.get(sessionId);
  }

  add({ request, audit }: Cancelled): void {
    this.requests.set(request.sessionId, { request, audit });
  }

  /** Undoes what can be undone now. Resolves when each request has been tried. */
  startUndo(): Promise<void> {
    this.undoing ??= this.undo().finally(() => {
      this.undoing = null;
    });
    return this.undoing;
  }

  /** Never throws. Waits for the undoing that is in progress, then undoes the requests that were added after it began. */
  async undoRest(): Promise<void> {
    await this.undoing;
    if (this.requests.size > 0) await this.startUndo();
  }

  /** Never throws. What cannot be undone is retried in the next pass, after all others. */
  private async undo(): Promise<void> {
    let hasFailed = false;
    for (const [sessionId, cancelled] of [...this.requests]) {
      try {
        await this.undoOne(cancelled.request);
        this.requests.delete(sessionId);
      } catch (err) {
        if (!this.undoFails && !hasFailed)
          logUnlessOutage(
            this.context.log,
            'warn',
            { err, sessionId },
            'borrow request without a client could not be cancelled; retrying',
          );
        hasFailed = true;
        // Moves the request behind the others.
        this.requests.delete(sessionId);
        this.requests.set(sessionId, cancelled);
      }
    }
    this.undoFails = hasFailed;
  }

  private async undoOne({ sessionId, accountId, idempotency }: BorrowRequest): Promise<void> {
    const idempotencyKey = idempotency?.key ?? null;
    const ended = await this.context.store.cancelBorrow({ sessionId, accountId, idempotencyKey });
    if (!ended) return;
    publishSession(this.context, ended);
  }
}
