import type { Point } from '../ui/geometry.ts';
import type { Drag } from '../ui/view.ts';

/** In dp and dp/ms: further up, or faster, than this is meant. */
const MIN_DISTANCE = 48;
const MIN_SPEED = 0.3;
/** A finger that goes far and then rests asks for the app switcher. */
const RECENTS_DISTANCE = 140;

/** The swipe up from the bottom edge. */
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
