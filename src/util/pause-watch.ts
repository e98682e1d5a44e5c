/** Longer than any scheduling delay of a busy machine, and half of the silence after which a host's sessions end. */
const MAX_GAP_MS = 5_000;
const TICK_MS = 500;

/**
 * Detects that this process did not run for a while: it was stopped or starved, or the machine slept. The commands
 * that it then finds waiting may belong to leases that ended in the meantime, so it executes none until the control
 * plane has confirmed the leases.
 */
export class PauseWatch implements Disposable {
  private readonly clocks: readonly (() => number)[];
  private readonly timer: NodeJS.Timeout;
  private seen: number[];
  /** The number of pauses so far. A confirmation is valid only when no pause was detected after it was requested. */
  private pauses = 0;
  private confirmed = 0;
  private confirmation = Promise.withResolvers<void>();

  /**
   * The monotonic clock stops while the machine sleeps, and the wall clock may be set. A gap on either clock
   * indicates a pause.
   */
  constructor(clocks: readonly (() => number)[] = [() => performance.now(), () => Date.now()]) {
    this.clocks = clocks;
    this.seen = clocks.map((now) => now());
    this.timer = setInterval(() => this.check(), TICK_MS).unref();
  }

  /** Checks the clocks at each command, because waiting commands are read before any timer runs. */
  get isInDoubt(): boolean {
    this.check();
    return this.confirmed < this.pauses;
  }

  /**
   * Call this before asking the control plane. Call the returned function when the control plane has confirmed the
   * leases.
   */
  beginConfirmation(): () => void {
    this.check();
    const asked = this.pauses;
    return () => {
      this.confirmed = Math.max(this.confirmed, asked);
      if (this.isInDoubt) return;
      this.confirmation.resolve();
      this.confirmation = Promise.withResolvers();
    };
  }

  /** Resolves at the next confirmation after which no pause is left in doubt. */
  whenConfirmed(): Promise<void> {
    return this.confirmation.promise;
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
  }

  private check(): void {
    const now = this.clocks.map((clock) => clock());
    if (now.some((time, index) => time - this.seen[index]! > MAX_GAP_MS)) this.pauses += 1;
    this.seen = now;
  }
}
