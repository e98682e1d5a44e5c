import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseOrder } from '../bus/messages.ts';
import type { Log } from '../util/log.ts';

/**
 * A session ends at the latest 5 s after its expiry. Within this part of the 5 s the control plane must say whether
 * the lease was extended.
 */
const CONFIRM_MS = 3_000;
const CONFIRM_AGAIN_MS = 1_000;
/**
 * The control plane gives up a host that is silent for 10 s, and an outage of the control plane itself seldom lasts
 * longer than this.
 */
const SUSPENDED_MS = 60_000;

export interface LeaseExpiryOptions {
  sessionId: string;
  log: Log;
  /** How long the control plane has to confirm that the lease expired. */
  confirmMs?: number | undefined;
  /** How long an unconfirmed lease stays suspended. */
  suspendedMs?: number | undefined;
  /** Aborted when the lease's run is stopped. */
  stopping: AbortSignal;
  hasEnded: () => boolean;
  /**
   * Asks the control plane to end the session as expired. Resolves with the lease if it was extended, or null if it
   * has ended.
   */
  expire: () => Promise<LeaseOrder | null>;
  onExtended: (lease: LeaseOrder) => void;
  onSuspended: () => void;
  onResumed: () => void;
  /** `isConfirmed`: the control plane knows that the lease has expired. */
  onExpired: (isConfirmed: boolean) => void;
}

/**
 * The expiry of one lease, on this host's own monotonic clock. When the lease expires, the host asks the control plane
 * to end it, because a message that extended it may have been lost. If no answer arrives within 3 s, the lease is
 * suspended. The control plane's next answer ends the lease or resumes it.
 */
export class LeaseExpiry {
  /** The lease has expired and the control plane has not confirmed that. */
  isSuspended = false;
  private readonly options: LeaseExpiryOptions;
  private timer: NodeJS.Timeout | undefined;
  private endsAt = 0;
  /** The lease has expired, and the control plane is being asked whether it was extended. */
  private isDue = false;

  constructor(options: LeaseExpiryOptions) {
    this.options = options;
  }

  get remainingMs(): number {
    return this.endsAt - performance.now();
  }

  /** Applies the remaining time of a new or repeated order. */
  renew(remainingMs: number): void {
    // An order that was created before the session ended contains no newer information
    if (this.isDue && remainingMs <= 0) return;
    this.isDue = false;
    clearTimeout(this.timer);
    this.endsAt = performance.now() + remainingMs;
    this.timer = setTimeout(() => void this.onDue(), Math.max(0, remainingMs));
    if (!this.isSuspended) return;
    this.options.log.info({ sessionId: this.options.sessionId }, 'lease resumed: the session was extended');
    this.isSuspended = false;
    this.options.onResumed();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Asks the control plane until it answers, the lease is renewed, or the run is stopped. */
  private async onDue(): Promise<void> {
    const { sessionId, log, confirmMs = CONFIRM_MS, stopping, hasEnded } = this.options;
    this.isDue = true;
    this.timer = setTimeout(() => this.suspend(), Math.max(0, confirmMs + this.remainingMs));
    while (this.isDue && !hasEnded() && !stopping.aborted) {
      try {
        const lease = await this.options.expire();
        if (!this.isDue) return;
        if (lease) this.options.onExtended(lease);
        else this.options.onExpired(true);
      } catch (error) {
        log.debug(
          { sessionId, err: error },
          'the control plane did not confirm whether the session has expired',
        );
      }
      if (this.isDue && !hasEnded())
        await delay(CONFIRM_AGAIN_MS, undefined, { signal: stopping }).catch(() => {});
    }
  }

  private suspend(): void {
    const { sessionId, log, suspendedMs = SUSPENDED_MS, onExpired, onSuspended } = this.options;
    log.warn({ sessionId }, 'lease suspended: the control plane did not confirm its expiry');
    this.isSuspended = true;
    this.timer = setTimeout(() => onExpired(false), suspendedMs);
    onSuspended();
  }
}
