import type { ControlParams } from '../../../contract/sockets/control-methods.ts';
import { opposite, type Point } from './pointer-map.ts';

export type Touch = ControlParams<'touch'>;

/** The phone supports ten fingers, 0 to 9. */
const FINGERS = 10;

interface Finger {
  /** The finger's number on the phone. */
  slot: number;
  /** The number of the mirrored finger of a pinch with one mouse. */
  mirrorSlot: number | null;
  at: Point;
  moved: boolean;
}

/**
 * Turns pointer events of the page into touches on the phone. Moves are held until `flush`, once per display frame,
 * and only the last move of each finger is sent. Any other event is sent after the moves that precede it.
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

  /** `pinch` adds a second finger opposite the first. An eleventh finger is ignored. */
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

  /** The browser cancelled the pointer, so the touch must not count as a tap. */
  cancel(pointerId: number): void {
    this.#lift(pointerId, 'cancel');
  }

  cancelAll(): void {
    for (const pointerId of [...this.#fingers.keys()]) this.cancel(pointerId);
  }

  /** Drops all fingers without sending anything, because the phone that they touched is unreachable. */
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
