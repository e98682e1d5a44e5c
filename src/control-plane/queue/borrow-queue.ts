import { randomUUID } from 'node:crypto';
import { MAX_WAITING, MAX_WAITING_PER_ACCOUNT } from '../../contract/http/queue.ts';
import type { SessionRow } from '../../store/entities.ts';
import { logUnlessOutage } from '../../store/outage-log.ts';
import type { Borrowed, PhoneFilter, Refused } from '../../store/queue/phone-queue.ts';
import { mayBeCommitted, StoreUnavailableError } from '../../store/store.ts';
import { withDeadline } from '../../util/deadline.ts';
import { Notifier } from '../../util/notifier.ts';
import type { ControlPlaneContext } from '../context.ts';
import { invalidKey } from '../refusal-errors.ts';
import { type Publisher, publishSession } from '../session-changes.ts';
import { borrowError, noneAvailable, shuttingDown } from './borrow-errors.ts';
import {
  type BorrowOptions,
  type BorrowRequest,
  filterKey,
  filtersOf,
  type Waiter,
} from './borrow-request.ts';
import { CancelledRequests } from './cancelled-requests.ts';
import { placeOf, QueuePositions } from './queue-positions.ts';

export interface BorrowQueueOptions {
  /** Interval at which the queue is checked even when no bus message arrives. */
  pollMs?: number;
  maxWaiting?: number;
  maxWaitingPerAccount?: number;
  /** At shutdown, how long to wait for requests to be undone, and again for this process to leave the queue. */
  closeMs?: number;
}

const DEFAULTS: Required<BorrowQueueOptions> = {
  pollMs: 250,
  maxWaiting: MAX_WAITING,
  maxWaitingPerAccount: MAX_WAITING_PER_ACCOUNT,
  closeMs: 2_000,
};

/** Interval at which this process renews its liveness in the store, which expires after 5 s. */
const HEARTBEAT_MS = 1_500;
/** Interval at which the keys of waiting requests are checked. */
const KEY_CHECK_MS = 2_000;

/**
 * The requests in this process that wait for a phone. They are stored as rows of one queue for all processes. Each
 * process serves only its own requests, one after the other, so that no phone is borrowed for a client whose process
 * has died.
 */
export class BorrowQueue implements AsyncDisposable {
  private readonly context: Pick<ControlPlaneContext, 'store' | 'steps'> & Publisher;
  private readonly options: Required<BorrowQueueOptions>;
  private readonly processId = `proc_${randomUUID()}`;
  private readonly waiters = new Map<string, Waiter>();
  private readonly cancelled: CancelledRequests;
  private readonly positions: QueuePositions;
  private readonly notifier = new Notifier();
  private running: Promise<void> | null = null;
  private isStopping = false;
  private heartbeatAt = 0;
  private keysCheckedAt = 0;
  private isStoreUnavailable = false;

  constructor(
    context: Pick<ControlPlaneContext, 'store' | 'steps'> & Publisher,
    options: BorrowQueueOptions = {},
  ) {
    this.context = context;
    this.cancelled = new CancelledRequests(context);
    this.positions = new QueuePositions(context.store);
    this.options = { ...DEFAULTS, ...options };
  }

  /**
   * Borrows any matching phone as soon as one is available and it is the request's turn.
   * @throws ApiError 40004, 40006, 40010, 40011, 40012, 40029, or what the store throws
   */
  async borrow(request: BorrowRequest, options: BorrowOptions): Promise<SessionRow> {
    if (this.isStopping) throw shuttingDown();
    const { maxWaiting, maxWaitingPerAccount } = this.options;
    const limits = { processId: this.processId, maxWaiting, maxWaitingPerAccount };
    const startedAt = performance.now();
    const cancel = () => this.cancel({ request, audit: options.audit });
    const outcome = await this.context.store
      .borrow({ ...request, wait: options.waitSeconds > 0 ? limits : null }, options.audit)
      .catch((error: unknown) => {
        // The request may wait or have a session, although its client receives an error. In a long outage, only the
        // first requests are undone; nothing was committed for later ones.
        if (mayBeCommitted(error) && this.cancelled.size < maxWaiting) cancel();
        throw error;
      });
    if (outcome.state === 'refused') throw await this.refusal(request, outcome);
    // From here on, the request must be undone if the client disconnects.
    if (options.disconnected.aborted) cancel();
    else options.disconnected.addEventListener('abort', cancel, { once: true });
    if (outcome.state === 'borrowed') return this.handOver(outcome, startedAt, options);
    const answer = Promise.withResolvers<SessionRow>();
    const until = performance.now() + options.waitSeconds * 1000;
    const waiter = { ...options, request, until, answer, lastPosition: null };
    if (options.disconnected.aborted) throw shuttingDown();
    // Closing has begun meanwhile, and may have left the queue before this request entered it.
    if (this.isStopping) {
      await this.context.store.leaveQueue(this.processId);
      throw shuttingDown();
    }
    this.waiters.set(request.sessionId, waiter);
    this.wake();
    return answer.promise;
  }

  /** Rejects the requests that are still waiting. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.isStopping = true;
    this.notifier.notify();
    await this.running;
  }

  private wake(): void {
    this.running ??= this.run();
    this.notifier.notify();
  }

  private async run(): Promise<void> {
    const subscription = this.context.bus.subscribe('session.changed', () => this.notifier.notify());
    this.heartbeatAt = performance.now();
    while (!this.isStopping && this.waiters.size + this.cancelled.size > 0) {
      await this.runPass();
      await this.notifier.wait(this.options.pollMs);
    }
    subscription.close();
    if (this.isStopping) await this.leave();
    this.running = null;
  }

  /** Never throws. Rejects the waiting requests and removes what this process has in the store, if the store answers in time. */
  private async leave(): Promise<void> {
    const { store, log } = this.context;
    const { closeMs } = this.options;
    for (const waiter of this.waiters.values()) this.rejectAtShutdown(waiter);
    try {
      await withDeadline(this.cancelled.undoRest(), closeMs, 'the database did not answer');
    } catch (err) {
      log.warn(
        { err, count: this.cancelled.size },
        'borrow requests without clients not cancelled at shutdown',
      );
    }
    try {
      await withDeadline(store.leaveQueue(this.processId), closeMs, 'the database did not answer');
    } catch (err) {
      log.warn(
        { err },
        'requests waiting on this server could not be released; other servers skip them after 5 s',
      );
    }
  }

  /** Never throws. Work that fails is repeated in the next pass; a request whose wait has timed out is rejected. */
  private async runPass(): Promise<void> {
    try {
      // Not awaited, so that one request that cannot be undone does not delay the waiting ones.
      void this.cancelled.startUndo();
      await this.sendHeartbeat();
      await this.checkKeys();
      for (const filter of filtersOf([...this.waiters.values()])) await this.serve(filter);
      await this.positions.notify([...this.waiters.values()]);
      if (this.isStoreUnavailable) this.context.log.info({}, 'queue is read again');
      this.isStoreUnavailable = false;
    } catch (error) {
      if (!this.isStoreUnavailable)
        logUnlessOutage(this.context.log, 'warn', { err: error }, 'queue could not be read; retrying');
      this.isStoreUnavailable = true;
    }
    for (const waiter of this.waiters.values()) {
      if (performance.now() >= waiter.until) await this.timeOut(waiter);
    }
  }

  private async serve(filter: PhoneFilter): Promise<void> {
    try {
      const { store } = this.context;
      const auditOf = (sessionId: string) =>
        (this.waiters.get(sessionId) ?? this.cancelled.get(sessionId))?.audit;
      for (;;) {
        const startedAt = performance.now();
        const turn = await store.nextTurn({ processId: this.processId, filter }, auditOf);
        if (!turn) return;
        const waiter = this.waiters.get(turn.sessionId);
        this.waiters.delete(turn.sessionId);
        // If the client has disconnected in the meantime, the next pass undoes the request.
        if (waiter) await this.settle(waiter, turn.outcome, startedAt);
        await this.sendHeartbeat();
      }
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
      // A request that cannot be served must not block those behind it.
      for (const waiter of this.waiters.values()) {
        if (filterKey(waiter.request.filter) === filterKey(filter)) this.refuse(waiter, error);
      }
    }
  }

  private async settle(waiter: Waiter, outcome: Borrowed | Refused, startedAt: number): Promise<void> {
    try {
      if (outcome.state === 'borrowed') waiter.answer.resolve(this.handOver(outcome, startedAt, waiter));
      else waiter.answer.reject(await this.refusal(waiter.request, outcome));
    } catch (error) {
      // The request is no longer among the waiting ones, so nothing else would answer it.
      this.refuse(waiter, error);
    }
  }

  /** The step begins with the request's turn, so that its duration excludes the time in the queue. */
  private handOver(
    { session, replayed }: Borrowed,
    startedAt: number,
    { client }: Pick<BorrowOptions, 'client'>,
  ): SessionRow {
    if (replayed) return session;
    const startedMsAgo = performance.now() - startedAt;
    this.context.steps.begin('connect', session.id, { startedMsAgo, client }).end();
    publishSession(this.context, session);
    return session;
  }

  private async refusal(request: BorrowRequest, { refusal }: Refused) {
    if (refusal.why !== 'none-free') return borrowError(refusal, request);
    const standing = await this.positions.standing(request);
    return noneAvailable({ ...standing, waitSeconds: 0, ahead: standing.waiting.length });
  }

  /**
   * Rejects a request whose wait has timed out. No phone can be assigned to it concurrently, because only this
   * process serves it.
   */
  private async timeOut(waiter: Waiter): Promise<void> {
    const { request, waitSeconds } = waiter;
    try {
      const standing = await this.positions.standing(request);
      this.refuse(
        waiter,
        noneAvailable({ ...standing, waitSeconds, ahead: placeOf(request, standing).ahead }),
      );
    } catch (error) {
      this.refuse(waiter, error);
    }
  }

  private refuse(waiter: Waiter, error: unknown): void {
    waiter.answer.reject(error);
    this.cancel(waiter);
  }

  /**
   * A request that its client can repeat keeps its place in the queue for the repetition. Any other request leaves
   * the queue.
   */
  private rejectAtShutdown(waiter: Waiter): void {
    if (waiter.request.idempotency === null) {
      this.refuse(waiter, shuttingDown());
      return;
    }
    this.waiters.delete(waiter.request.sessionId);
    waiter.answer.reject(shuttingDown());
  }

  private cancel(cancelled: Pick<Waiter, 'request' | 'audit'>): void {
    const { sessionId } = cancelled.request;
    this.waiters.get(sessionId)?.answer.reject(shuttingDown());
    this.waiters.delete(sessionId);
    this.cancelled.add(cancelled);
    this.wake();
  }

  /**
   * Renews this process's liveness. If the process was suspended for a minute, its requests have lost their places
   * and are rejected.
   */
  private async sendHeartbeat(): Promise<void> {
    if (performance.now() - this.heartbeatAt < HEARTBEAT_MS) return;
    const isAlive = await this.context.store.keepWaiting(this.processId);
    this.heartbeatAt = performance.now();
    if (isAlive) return;
    for (const waiter of this.waiters.values()) this.refuse(waiter, shuttingDown());
  }

  private async checkKeys(): Promise<void> {
    if (performance.now() - this.keysCheckedAt < KEY_CHECK_MS || this.waiters.size === 0) return;
    const keyIds = new Set([...this.waiters.values()].map(({ request }) => request.keyId));
    const valid = new Set(await this.context.store.validGrants([...keyIds]));
    this.keysCheckedAt = performance.now();
    for (const waiter of this.waiters.values()) {
      if (!valid.has(waiter.request.keyId)) this.refuse(waiter, invalidKey());
    }
  }
}
