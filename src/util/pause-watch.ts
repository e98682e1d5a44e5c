/** Longer than any hiccup of a busy machine, and half of the silence after which a host's sessions end. */
const MAX_GAP_MS = 5_000;
const TICK_MS = 500;

/**
 * Notices that this process was away: stopped, starved, or on a machine that slept. What it then finds waiting may be
 * meant for leases that ended meanwhile, so until the control plane has confirmed them it acts on none.
 */
export class PauseWatch implements Disposable {
  private readonly clocks: readonly (() => number)[];
  private readonly timer: NodeJS.Timeout;
  private seen: number[];
  /** How many pauses were noticed so far; a confirmation counts when none came after it was asked for. */
  private pauses = 0;
  private confirmed = 0;

  /** The monotonic clock stands still while the machine sleeps, the wall clock may be set: either tells of a pause. */
  constructor(clocks: readonly (() => number)[] = [() => performance.now(), () => Date.now()]) {
    this.clocks = clocks;
    this.seen = clocks.map((now) => now());
    this.timer = setInterval(() => this.look(), TICK_MS).unref();
  }

  /** Asked at each command: what was waiting is read before any timer runs. */
  get isInDoubt(): boolean {
    this.look();
    return this.confirmed < this.pauses;
  }

  /** To be called before the control plane is asked; what it answers is called when it has confirmed the leases. */
  ask(): () => void {
    this.look();
    const asked = this.pauses;
    return () => {
      this.confirmed = Math.max(this.confirmed, asked);
    };
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = this.clocks.map((clock) => clock());
    if (now.some((time, index) => time - this.seen[index]! > MAX_GAP_MS)) this.pauses += 1;
    this.seen = now;
  }
}
