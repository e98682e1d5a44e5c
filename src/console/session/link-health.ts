const TICK_MS = 500;
/** Ticks between the answer to a ping and the next ping. */
const PAUSE_TICKS = 2;
/** Ticks without an answer after which the connection counts as silent, and after which it is replaced. */
export const SILENT_TICKS = 5;
export const DEAD_TICKS = 12;

interface LinkHealthOptions {
  /** Sends a ping. Resolves with its answer, whatever it is. */
  ping(): Promise<unknown>;
  /** The connection has stopped answering, or answers again. */
  onSilent(isSilent: boolean): void;
  /** The connection should be replaced. */
  onDead(): void;
  /** Whether the page is hidden. A browser slows the timers of a hidden page, so nothing is measured then. */
  isHidden?: () => boolean;
}

/**
 * Detects that an open connection no longer answers, which a browser reports only after tens of seconds. Silence is
 * counted in ticks, so a page that was stopped itself, for example with its computer, does not blame the connection.
 */
export class LinkHealth {
  readonly #options: LinkHealthOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Counts pings, so that the answer to an earlier one is ignored. */
  #ping = 0;
  #isWaiting = false;
  #ticks = 0;
  #isSilent = false;
  #roundTripMs: number | null = null;

  constructor(options: LinkHealthOptions) {
    this.#options = options;
  }

  /** Time that the last ping took, or null if none was answered. */
  get roundTripMs(): number | null {
    return this.#roundTripMs;
  }

  /** Watches a connection that has just opened. */
  start(): void {
    this.stop();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#send();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#ping += 1;
    this.#isWaiting = false;
    this.#roundTripMs = null;
    this.#set(false);
  }

  /** Called when the network is known to be down. The connection counts as silent until it answers. */
  doubt(): void {
    if (this.#timer === undefined) return;
    if (!this.#isWaiting) this.#send();
    this.#ticks = Math.max(this.#ticks, SILENT_TICKS);
    this.#set(true);
  }

  #tick(): void {
    if (this.#options.isHidden?.()) {
      this.#ticks = 0;
      return;
    }
    this.#ticks += 1;
    if (!this.#isWaiting) {
      if (this.#ticks >= PAUSE_TICKS) this.#send();
      return;
    }
    if (this.#ticks >= SILENT_TICKS) this.#set(true);
    if (this.#ticks === DEAD_TICKS) this.#options.onDead();
  }

  #send(): void {
    this.#ping += 1;
    const ping = this.#ping;
    const sentAt = performance.now();
    this.#isWaiting = true;
    this.#ticks = 0;
    const answered = () => {
      if (ping !== this.#ping) return;
      this.#isWaiting = false;
      this.#ticks = 0;
      this.#roundTripMs = performance.now() - sentAt;
      this.#set(false);
    };
    // A ping that got no answer is not repeated: the connection is replaced, which starts this anew.
    this.#options.ping().then(answered, () => {});
  }

  #set(isSilent: boolean): void {
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    if (isSilent) this.#roundTripMs = null;
    this.#options.onSilent(isSilent);
  }
}
