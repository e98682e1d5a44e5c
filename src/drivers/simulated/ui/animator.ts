import type { Clock } from './clock.ts';

/** Called with the milliseconds since the start. Returning false ends the animation. */
type Step = (elapsed: number) => boolean;

/** Runs animations. They only advance when `step` is called, which the drawing code does once before each frame. */
export class Animator {
  readonly #clock: Clock;
  readonly #onStart: () => void;
  /** Whether the user has turned animations off. They then show their end in the next frame. */
  isOff = false;
  readonly #running = new Map<symbol, { start: number; step: Step }>();

  /** `onStart` is called whenever an animation begins, because a frame is then needed. */
  constructor(clock: Clock, onStart: () => void) {
    this.#clock = clock;
    this.#onStart = onStart;
  }

  get active(): boolean {
    return this.#running.size > 0;
  }

  /** Starts an animation. Returns a function that stops it at its current state. */
  run(step: Step): () => void {
    const id = Symbol('animation');
    this.#running.set(id, { start: this.#clock.now(), step });
    this.#onStart();
    return () => this.#running.delete(id);
  }

  /** Animates from 0 to 1 in `ms` milliseconds, fast at first and slow at the end. */
  ease(ms: number, onShare: (share: number) => void, onEnd?: () => void): () => void {
    return this.run((elapsed) => {
      const share = this.isOff ? 1 : Math.min(elapsed / ms, 1);
      onShare(1 - (1 - share) ** 3);
      if (share < 1) return true;
      onEnd?.();
      return false;
    });
  }

  /** Advances all animations to the current time. */
  step(): void {
    const now = this.#clock.now();
    for (const [id, { start, step }] of [...this.#running]) {
      if (this.#running.has(id) && !step(now - start)) this.#running.delete(id);
    }
  }
}
