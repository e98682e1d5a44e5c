import type { SimulatedDevice } from './simulated-device.ts';
import type { Clock } from './ui/clock.ts';
import { mix, type Point } from './ui/geometry.ts';

/** Interval between two positions of a moving pointer, in milliseconds. */
const MOVE_MS = 8;

/** A pointer id that a client's `touch` cannot have. */
const POINTER = 'gesture';

/**
 * Performs complete gestures on a phone, in the time that a real finger would take. Positions are fractions of the
 * screen.
 */
export class Gestures {
  readonly #device: SimulatedDevice;
  readonly #clock: Clock;
  #count = 0;

  constructor(device: SimulatedDevice, clock: Clock) {
    this.#device = device;
    this.#clock = clock;
  }

  hold(at: Point, ms: number, signal: AbortSignal): Promise<void> {
    return this.swipe(at, at, ms, signal);
  }

  /** Moves in a straight line at constant speed. */
  async swipe(from: Point, to: Point, ms: number, signal: AbortSignal): Promise<void> {
    const pointer = `${POINTER}-${this.#count++}`;
    const start = this.#clock.now();
    let at = from;
    this.#device.touch({ action: 'down', pointer, at, pressure: 1 });
    const moves = from.x !== to.x || from.y !== to.y;
    for (;;) {
      const left = start + ms - this.#clock.now();
      if (left <= 0) break;
      if (!(await this.#wait(moves ? Math.min(MOVE_MS, left) : left, signal))) {
        this.#device.touch({ action: 'cancel', pointer, at, pressure: 0 });
        return;
      }
      if (!moves) continue;
      const share = Math.min(1, (this.#clock.now() - start) / ms);
      at = { x: mix(from.x, to.x, share), y: mix(from.y, to.y, share) };
      this.#device.touch({ action: 'move', pointer, at, pressure: 1 });
    }
    this.#device.touch({ action: 'up', pointer, at: to, pressure: 0 });
  }

  /** Resolves with false if the gesture was aborted. */
  #wait(ms: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (completed: boolean) => {
        cancel();
        signal.removeEventListener('abort', onAbort);
        resolve(completed);
      };
      const onAbort = () => end(false);
      const cancel = this.#clock.after(ms, () => end(true));
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
