import type { Point } from '../ui/geometry.ts';
import type { Drag } from '../ui/view.ts';

/** Minimum distance in dp, or speed in dp/ms, of a swipe that counts. */
const MIN_DISTANCE = 48;
const MIN_SPEED = 0.3;
/** Distance after which a pointer that stops moving opens the app switcher. */
const RECENTS_DISTANCE = 140;

/** The swipe up from the bottom edge, which goes home or opens the app switcher. */
export class HomeGesture implements Drag {
  readonly axis = 'vertical';
  readonly #actions: { home(): void; recents(): void };
  #up = 0;

  constructor(actions: { home(): void; recents(): void }) {
    this.#actions = actions;
  }

  start(): void {
    this.#up = 0;
  }

  move(delta: Point): void {
    this.#up -= delta.y;
  }

  end(velocity: Point): void {
    if (this.#up < MIN_DISTANCE) return;
    if (velocity.y > -MIN_SPEED && this.#up > RECENTS_DISTANCE) this.#actions.recents();
    else this.#actions.home();
  }
}
