import type { AuditNote } from '../../../store/admin-store.ts';
import { logUnlessOutage } from '../../../store/outage-log.ts';
import type { Store } from '../../../store/store.ts';
import type { Log } from '../../../util/log.ts';

/** Entries that wait while the store is away; those that come after are lost, and the log says how many. */
const MAX_WAITING = 10_000;
const BATCH = 500;
/** An answer waits for its entry no longer than this. */
const PATIENCE_MS = 2_000;
const RETRY_MS = 1_000;
/** How long closing waits for what is still to be written. */
const CLOSE_MS = 2_000;

/** One entry, as its operation tells of it. */
export type AuditEvent = Omit<AuditNote, 'agoMs'>;

interface Waiting {
  event: AuditEvent;
  happenedAt: number;
  /** Lets its operation be answered. */
  answer: () => void;
}

/**
 * Writes what operations did. An entry is written before its operation is answered, after what it tells of: whoever has
 * an answer has an entry. Those that come while others are written share one statement after it, so that the trail
 * costs a busy service little. While the store is away they wait, and their answers do not.
 */
export class AuditTrail implements AsyncDisposable {
  private readonly store: Pick<Store, 'addAudit'>;
  private readonly log: Log;
  private readonly waiting: Waiting[] = [];
  private isWriting = false;
  /** Settled when nothing is being written. */
  private written = Promise.resolve();
  private retry: NodeJS.Timeout | undefined;
  private lost = 0;
  private isClosed = false;

  constructor(store: Pick<Store, 'addAudit'>, log: Log) {
    this.store = store;
    this.log = log;
  }

  /** Never throws. Resolves when the entry is written, or will have to be later. */
  async add(event: AuditEvent): Promise<void> {
    if (this.waiting.length >= MAX_WAITING) {
      this.lost += 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.push({ event, happenedAt: performance.now(), answer: resolve });
    const patience = setTimeout(resolve, PATIENCE_MS);
    this.write();
    await promise;
    clearTimeout(patience);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
    this.write();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, CLOSE_MS);
    await Promise.race([this.written, late.promise]);
    clearTimeout(timer);
    const unwritten = this.waiting.length + this.lost;
    if (unwritten > 0) this.log.error({ unwritten }, 'the audit trail lacks entries: the store was away');
  }

  private write(): void {
    if (this.isWriting) return;
    clearTimeout(this.retry);
    this.isWriting = true;
    this.written = this.writeWaiting();
  }

  private async writeWaiting(): Promise<void> {
    try {
      while (this.waiting.length > 0) await this.writeBatch();
      if (this.lost > 0)
        this.log.error({ lost: this.lost }, 'the audit trail lacks entries: the store was away');
      this.lost = 0;
    } catch (error) {
      const fields = { err: error, waiting: this.waiting.length };
      logUnlessOutage(this.log, 'error', fields, 'the audit trail cannot be written; it is tried again');
      for (const { answer } of this.waiting) answer();
      if (!this.isClosed) this.retry = setTimeout(() => this.write(), RETRY_MS);
    }
    this.isWriting = false;
  }

  private async writeBatch(): Promise<void> {
    const batch = this.waiting.slice(0, BATCH);
    const now = performance.now();
    await this.store.addAudit(batch.map(({ event, happenedAt }) => ({ ...event, agoMs: now - happenedAt })));
    this.waiting.splice(0, batch.length);
    for (const { answer } of batch) answer();
  }
}
