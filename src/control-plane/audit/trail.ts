import { ERRORS } from '../../contract/http/errors.ts';
import type { NewAuditEntry } from '../../store/audit/audit-store.ts';
import { logUnlessOutage } from '../../store/outage-log.ts';
import type { Store } from '../../store/store.ts';
import { withDeadline } from '../../util/deadline.ts';
import type { Log } from '../../util/log.ts';

/** Equal occurrences within this window share one entry. */
const WINDOW_MS = 60_000;
/** Interval at which the counts of entries are updated in the store. */
const COUNT_MS = 10_000;
/** Maximum number of entries per window of one account, or of one address without a valid key. */
const MAX_PER_HOLDER = 50;
/** Maximum number of addresses without a valid key that have entries under their own address in a window. */
const MAX_ADDRESSES = 60;
/**
 * Maximum number of entries in memory, also while the store is unavailable. Further entries are lost, and the log
 * states how many.
 */
const MAX_ENTRIES = 10_000;
const BATCH = 500;
/** Maximum time that a response waits for its audit entry to be written. */
const ANSWER_AFTER_MS = 2_000;
const RETRY_MS = 1_000;
/** Maximum time that disposal waits for pending writes. */
const CLOSE_MS = 2_000;

/** An event that changed no row: a rejected or replayed request, an invalid key, or a shell command on a phone. */
export interface Occurrence extends Omit<NewAuditEntry, 'agoMs' | 'count'> {
  /** Occurrences with different subjects never share an entry. */
  subject?: string;
}

interface Entry {
  occurrence: Occurrence;
  /** The account or address against whose share the entry counts. */
  holder: string;
  happenedAt: number;
  count: number;
  written: { at: number; id: string; count: number } | null;
  /** Releases the response of the first request. */
  answer: () => void;
}

/**
 * Writes the audit entries of requests that changed nothing. The store writes the entries of changes itself, in the
 * transaction of the change.
 * Equal occurrences of one key (or of one address without a valid key) share one entry a minute, which counts them,
 * so that rejected requests cannot flood the trail. The first occurrence is written before its request is answered,
 * and the count is updated within 10 s. When an account or an address exceeds its share of entries, its further
 * occurrences are counted together, without key and address. While the store is unavailable, entries are buffered and
 * responses are not held back.
 */
export class AuditTrail implements AsyncDisposable {
  private readonly store: Pick<Store, 'addAudit' | 'countAudit'>;
  private readonly log: Log;
  private readonly entries = new Map<string, Entry>();
  /** Number of entries by holder. */
  private readonly held = new Map<string, number>();
  private readonly waiting: Entry[] = [];
  private isWriting = false;
  /** Resolves when no write is in progress. */
  private written = Promise.resolve();
  private retry: NodeJS.Timeout | undefined;
  private counting: NodeJS.Timeout | undefined;
  private lost = 0;
  private isClosed = false;

  constructor(store: Pick<Store, 'addAudit' | 'countAudit'>, log: Log) {
    this.store = store;
    this.log = log;
  }

  /**
   * Never throws. Resolves when the entry is written, when the store fails or after `ANSWER_AFTER_MS`; in the last
   * two cases the entry is written later. Resolves immediately when an existing entry counts the occurrence.
   */
  async add(occurrence: Occurrence): Promise<void> {
    const { key, entry, isNew } = this.entryFor(occurrence);
    this.scheduleCounts();
    if (!isNew) {
      if (entry) entry.count += 1;
      else this.lost += 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    entry.answer = resolve;
    this.entries.set(key, entry);
    this.held.set(entry.holder, (this.held.get(entry.holder) ?? 0) + 1);
    this.waiting.push(entry);
    const late = setTimeout(resolve, ANSWER_AFTER_MS);
    this.write();
    await promise;
    clearTimeout(late);
  }

  /**
   * Records a request or a WebSocket upgrade without a valid key or token. `action` is what the client requested,
   * such as `devices.list` or `stream`.
   */
  authenticationFailed({ action, address }: { action: string; address: string }): Promise<void> {
    const code = ERRORS.unauthorized.code;
    return this.add({ accountId: null, keyId: null, action, address, code, targets: [] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.counting);
    this.write();
    const counted = this.written.then(() => this.writeCounts());
    await withDeadline(counted, CLOSE_MS, 'the database did not answer').catch(() => {});
    const unwritten = this.waiting.length + this.lost;
    if (unwritten > 0) this.log.error({ unwritten }, 'audit events were lost: the store is unavailable');
  }

  /**
   * The entry that counts this occurrence: an existing one, a new one, or undefined when the limit on entries is
   * reached.
   */
  private entryFor(
    occurrence: Occurrence,
  ): { key: string; entry: Entry; isNew: true } | { key: string; entry: Entry | undefined; isNew: false } {
    const now = performance.now();
    const holder = occurrence.accountId ?? `address ${occurrence.address}`;
    const ownKey = keyOf(occurrence);
    const isOver = !this.isOpen(ownKey, now) && !this.hasRoom(holder);
    const kept = isOver
      ? { ...occurrence, keyId: null, address: null, targets: [], subject: '' }
      : { ...occurrence, targets: occurrence.targets.slice(0, 2) };
    const key = isOver ? `rest ${keyOf(kept)}` : ownKey;
    if (this.isOpen(key, now)) return { key, entry: this.entries.get(key), isNew: false };
    this.forget(key);
    if (this.entries.size >= MAX_ENTRIES) return { key, entry: undefined, isNew: false };
    const entry = {
      occurrence: kept,
      holder: isOver ? key : holder,
      happenedAt: now,
      count: 1,
      written: null,
      answer: () => {},
    };
    return { key, entry, isNew: true };
  }

  /** An entry stays open after its window until its count is written to the store. */
  private isOpen(key: string, now: number): boolean {
    const entry = this.entries.get(key);
    return entry !== undefined && (now - entry.happenedAt < WINDOW_MS || !isUpToDate(entry));
  }

  private hasRoom(holder: string): boolean {
    const own = this.held.get(holder);
    if (own !== undefined) return own < MAX_PER_HOLDER;
    if (!holder.startsWith('address ')) return true;
    return [...this.held.keys()].filter((name) => name.startsWith('address ')).length < MAX_ADDRESSES;
  }

  private forget(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    const left = (this.held.get(entry.holder) ?? 1) - 1;
    if (left > 0) this.held.set(entry.holder, left);
    else this.held.delete(entry.holder);
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
        this.log.error({ lost: this.lost }, 'audit events were lost: the store was unavailable');
      this.lost = 0;
    } catch (error) {
      logUnlessOutage(
        this.log,
        'error',
        { err: error, waiting: this.waiting.length },
        'audit events could not be written; retrying',
      );
      for (const { answer } of this.waiting) answer();
      if (!this.isClosed) this.retry = setTimeout(() => this.write(), RETRY_MS);
    }
    this.isWriting = false;
  }

  private async writeBatch(): Promise<void> {
    const batch = this.waiting.slice(0, BATCH);
    const now = performance.now();
    const counts = batch.map(({ count }) => count);
    const ids = await this.store.addAudit(
      batch.map(({ occurrence: { subject, ...note }, happenedAt, count }) => ({
        ...note,
        count,
        agoMs: now - happenedAt,
      })),
    );
    this.waiting.splice(0, batch.length);
    for (const [index, entry] of batch.entries()) {
      entry.written = { ...ids[index]!, count: counts[index]! };
      entry.answer();
    }
  }

  private scheduleCounts(): void {
    if (this.isClosed) return;
    this.counting ??= setTimeout(async () => {
      try {
        await this.writeCounts();
      } catch (error) {
        logUnlessOutage(
          this.log,
          'warn',
          { err: error },
          'counts of audit events could not be written; retrying',
        );
      }
      this.counting = undefined;
      if (this.entries.size > 0) this.scheduleCounts();
    }, COUNT_MS).unref();
  }

  /** Updates the counts in the store, and drops the entries whose window has ended. */
  private async writeCounts(): Promise<void> {
    const behind = [...this.entries.values()].filter((entry) => entry.written && !isUpToDate(entry));
    for (let at = 0; at < behind.length; at += BATCH) {
      const batch = behind.slice(at, at + BATCH).map(({ written, count }) => ({ written: written!, count }));
      await this.store.countAudit(batch.map(({ written: { at, id }, count }) => ({ at, id, count })));
      for (const { written, count } of batch) written.count = count;
    }
    const now = performance.now();
    for (const key of [...this.entries.keys()]) if (!this.isOpen(key, now)) this.forget(key);
  }
}

const isUpToDate = ({ written, count }: Entry) => written?.count === count;

const keyOf = ({ accountId, keyId, address, action, code, subject }: Occurrence) =>
  JSON.stringify([accountId, keyId ?? address, action, code, subject ?? '']);
