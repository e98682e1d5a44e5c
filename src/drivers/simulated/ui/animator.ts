import type { Clock } from './clock.ts';

/** Called with the ms since the start; false ends the animation. */
type Step = (elapsed: number) => boolean;

/** Runs what moves. Nothing runs between two frames: whoever draws calls `step` once before each. */
export class Animator {
  readonly #clock: Clock;
  readonly #onStart: () => void;
  readonly #running = new Map<symbol, { start: number; step: Step }>();

  /** `onStart` is called whenever a frame is needed because something began to move. */
  constructor(clock: Clock, onStart: () => void) {
    this.#clock = clock;
    this.#onStart = onStart;
  }

  get active(): boolean {
    return this.#running.size > 0;
  }

  /** Returns the function that stops it where it is. */
  run(step: Step): () => void {
    const id = Symbol('animation');
    this.#running.set(id, { start: this.#clock.now(), step });
    this.#onStart();
    return () => this.#running.delete(id);
  }

  /** Goes from 0 to 1 in `ms`, fast first and slow at the end. */
  ease(ms: number, onShare: (share: number) => void, onEnd?: () => void): () => void {
    return this.run((elapsed) => {
      const share = Math.min(elapsed / ms, 1);
      onShare(1 - (1 - share) ** 3);
      if (share < 1) return true;
      onEnd?.();
      return false;
    });
  }

  /** Moves everything to where it is now. */
  step(): void {
    const now = this.#clock.now();
    for (const [id, { start, step }] of [...this.#running]) {
      if (this.#running.has(id) && !step(now - start)) this.#running.delete(id);
    }
  }
}
