import type { ControlParams } from '../../../contract/control-methods.ts';
import { opposite, type Point } from './pointer-map.ts';

export type Touch = ControlParams<'touch'>;

/** The phone knows ten fingers, 0 to 9. */
const FINGERS = 10;

interface Finger {
  /** The phone's number for it. */
  slot: number;
  /** The number of its mirrored finger, when one mouse pinches. */
  mirrorSlot: number | null;
  at: Point;
  moved: boolean;
}

/**
 * Turns pointers of the page into touches of the phone. Moves are kept until `flush`, once per frame of the display, and
 * only the last of each finger is sent; whatever comes after a move is sent after it.
 */
export class TouchTracker {
  readonly #fingers = new Map<number, Finger>();
  readonly #send: (touch: Touch) => void;

  constructor(send: (touch: Touch) => void) {
    this.#send = send;
  }

  get isTouching(): boolean {
    return this.#fingers.size > 0;
  }

  /** `pinch` puts a second finger opposite the first. An eleventh finger is not felt. */
  down(
    pointerId: number,
    at: Point,
    options: { pinch: boolean; pressure?: number } = { pinch: false },
  ): void {
    if (this.#fingers.has(pointerId)) this.up(pointerId, at);
    this.flush();
    const slot = this.#freeSlot();
    if (slot === null) return;
    const finger: Finger = { slot, mirrorSlot: null, at, moved: false };
    this.#fingers.set(pointerId, finger);
    if (options.pinch) finger.mirrorSlot = this.#freeSlot();
    this.#emit('down', finger, options.pressure);
  }

  move(pointerId: number, at: Point): void {
    const finger = this.#fingers.get(pointerId);
    if (!finger || (finger.at.x === at.x && finger.at.y === at.y)) return;
    finger.at = at;
    finger.moved = true;
  }

  up(pointerId: number, at: Point): void {
    this.move(pointerId, at);
    this.#lift(pointerId, 'up');
  }

  /** The browser took the pointer away: what was begun must not count as a tap. */
  cancel(pointerId: number): void {
    this.#lift(pointerId, 'cancel');
  }

  cancelAll(): void {
    for (const pointerId of [...this.#fingers.keys()]) this.cancel(pointerId);
  }

  /** Forgets all fingers without a word: the phone they touched is out of reach. */
  forget(): void {
    this.#fingers.clear();
  }

  flush(): void {
    for (const finger of this.#fingers.values()) {
      if (!finger.moved) continue;
      finger.moved = false;
      this.#emit('move', finger);
    }
  }

  #lift(pointerId: number, action: 'up' | 'cancel'): void {
    const finger = this.#fingers.get(pointerId);
    if (!finger) return;
    this.flush();
    this.#fingers.delete(pointerId);
    this.#emit(action, finger);
  }

  #emit(action: Touch['action'], finger: Finger, pressure = 1): void {
    this.#send({ action, pointer: finger.slot, ...finger.at, pressure: action === 'up' ? 0 : pressure });
    if (finger.mirrorSlot === null) return;
    this.#send({
      action,
      pointer: finger.mirrorSlot,
      ...opposite(finger.at),
      pressure: action === 'up' ? 0 : pressure,
    });
  }

  #freeSlot(): number | null {
    const taken = new Set([...this.#fingers.values()].flatMap((finger) => [finger.slot, finger.mirrorSlot]));
    for (let slot = 0; slot < FINGERS; slot += 1) if (!taken.has(slot)) return slot;
    return null;
  }
}
