import type { PhoneOrder, PhoneStatus } from '../bus/messages.ts';
import type { Phone } from '../drivers/driver.ts';
import { type LeaseEnd, LeaseRun, type LeaseRunOptions } from './lease-run.ts';

const CLEAN_TIMEOUT_MS = 30_000;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Several heartbeats, so that at least one report and its answer arrive within this time. */
const UNSETTLED_BEFORE_END_MS = 10_000;

/** A lease that ended on this host before the control plane ended it. */
export interface EndedLease extends LeaseEnd {
  sessionId: string;
  epoch: number;
}

export interface PhoneReconcilerOptions extends LeaseRunOptions {
  /** Called when a lease ended on the host's side. */
  onEnded: (ended: EndedLease) => void;
}

/**
 * Reconciles one phone with the control plane's latest order. Orders are level-triggered: the newest one holds, a
 * repeated one changes nothing, and one with an older epoch is ignored. Steps on the phone run one at a time.
 */
export class PhoneReconciler {
  readonly id: string;
  run: LeaseRun | null = null;
  private phone: Phone;
  private readonly options: PhoneReconcilerOptions;
  private order: PhoneOrder | null = null;
  /** The phone has been cleaned of every session up to this epoch. Null: not known yet. */
  private cleanEpoch: number | null = null;
  /** The last lease that ended on the host's side. It is not started again, however often it is ordered. */
  private ended: EndedLease | null = null;
  private dirty = true;
  private cleaningProblem: string | null = null;
  private failures = 0;
  private working: Promise<void> | null = null;
  /** Set when something changed after the last search for the next step. */
  private hasChanged = false;
  private retry: NodeJS.Timeout | undefined;
  private readonly closing = new AbortController();

  constructor(phone: Phone, options: PhoneReconcilerOptions) {
    this.id = phone.description.id;
    this.phone = phone;
    this.options = options;
  }

  /** Replaces the phone object with the one that the driver currently reports, which may be new. */
  setPhone(phone: Phone): void {
    this.phone = phone;
    this.work();
  }

  status(): PhoneStatus {
    const { run } = this;
    const { capabilities } = this.phone;
    const problem = this.phone.problem ?? this.cleaningProblem;
    return {
      description: this.phone.description,
      ...(capabilities && { capabilities: [...capabilities] }),
      usable: problem === null,
      problem,
      cleanEpoch: this.cleanEpoch,
      lease:
        run && !run.end
          ? { sessionId: run.sessionId, epoch: run.epoch, connected: run.connected, app: run.app }
          : null,
    };
  }

  /**
   * True when the phone is in the state that the control plane ordered and the control plane knows that, so neither
   * side has news. False shortly before a lease ends, because the message that extended it may have been lost.
   */
  isSettled(): boolean {
    const { run, order } = this;
    if (!order) return false;
    if (!order.lease) return !run && this.cleanEpoch === order.epoch && order.cleanEpoch === order.epoch;
    const isServed = run?.sessionId === order.lease.sessionId && run.connected && !run.end;
    return isServed && run.remainingMs > UNSETTLED_BEFORE_END_MS;
  }

  apply(order: PhoneOrder): void {
    if (this.order && order.epoch < this.order.epoch) return;
    // Within one epoch a session can only end, so an order to serve it that arrives late is ignored.
    if (this.order && order.epoch === this.order.epoch && !this.order.lease && order.lease) return;
    this.order = order;
    // An earlier process of this host already cleaned the phone, and no session has used it since.
    if (this.cleanEpoch === null && !this.run && order.cleanEpoch === order.epoch) {
      this.dirty = false;
      this.cleanEpoch = order.epoch;
    }
    if (order.lease && this.run?.sessionId === order.lease.sessionId) this.run.renew(order.lease);
    this.work();
  }

  /** The lease that ended on this host but that the control plane still considers live, or null. */
  unacknowledgedEnd(): EndedLease | null {
    return this.ended && this.order?.lease?.sessionId === this.ended.sessionId ? this.ended : null;
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearTimeout(this.retry);
    await this.working;
    await this.run?.stop({ isFinal: false });
    this.run = null;
  }

  /** Runs steps until the phone matches its order. A failed step is retried with exponential backoff. */
  private work(): void {
    this.hasChanged = true;
    if (this.working || this.closing.signal.aborted) return;
    clearTimeout(this.retry);
    this.working = this.reconcile()
      .catch((error) => {
        this.hasChanged = false;
        if (this.closing.signal.aborted) return;
        this.failures += 1;
        this.options.log.warn(
          { deviceId: this.id, err: error, failures: this.failures },
          'phone operation failed',
        );
        const wait = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (this.failures - 1));
        this.retry = setTimeout(() => this.work(), wait);
      })
      .finally(() => {
        this.working = null;
        // A change after the last search, but before this callback, found the work still in progress
        if (this.hasChanged) this.work();
      });
  }

  private async reconcile(): Promise<void> {
    while (!this.closing.signal.aborted) {
      this.hasChanged = false;
      const step = this.nextStep();
      if (!step) break;
      await step();
    }
    this.failures = 0;
  }

  private nextStep(): (() => Promise<void>) | null {
    const { run, order } = this;
    const wanted = order?.lease ?? null;
    if (run && (run.end || run.sessionId !== wanted?.sessionId)) return () => this.stopRun(run);
    if (run || !order || this.phone.problem) return null;
    const start = wanted && wanted.sessionId !== this.ended?.sessionId ? wanted : null;
    // If the phone's history is unknown, it may hold data of this same lease from before the host restarted, which
    // must be kept.
    const ownRemains = start && this.cleanEpoch === null;
    if (this.dirty && !ownRemains) return () => this.clean();
    if (start) return async () => this.start(start);
    if (this.cleanEpoch !== order.epoch) return async () => this.setClean(order.epoch);
    return null;
  }

  private async stopRun(run: LeaseRun): Promise<void> {
    if (run.end) {
      this.ended = { sessionId: run.sessionId, epoch: run.epoch, ...run.end };
      if (!run.isEndConfirmed) this.options.onEnded(this.ended);
      else if (this.order?.lease?.sessionId === run.sessionId) this.order = { ...this.order, lease: null };
    }
    await run.stop({ isFinal: true });
    this.run = null;
  }

  private start(lease: NonNullable<PhoneOrder['lease']>): void {
    this.dirty = true;
    this.run = new LeaseRun(this.phone, lease, {
      ...this.options,
      onChange: () => {
        this.options.onChange();
        this.work();
      },
    });
  }

  private async clean(): Promise<void> {
    try {
      await this.phone.clean({
        signal: AbortSignal.any([this.closing.signal, AbortSignal.timeout(CLEAN_TIMEOUT_MS)]),
      });
    } catch (error) {
      this.cleaningProblem = `cleaning failed: ${(error as Error).message}`;
      this.options.onChange();
      throw error;
    }
    this.dirty = false;
    this.cleaningProblem = null;
  }

  private setClean(epoch: number): void {
    this.cleanEpoch = epoch;
    this.options.onChange();
  }
}
