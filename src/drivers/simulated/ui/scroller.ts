import type { Animator } from './animator.ts';
import { clamp, type Point } from './geometry.ts';
import type { Drag } from './view.ts';

/** Time constant with which a fling slows down, in milliseconds. It ends after a distance of `speed * FRICTION`. */
const FRICTION = 325;
/** Speed below which movement is not visible, in dp/ms. */
const STILL = 0.02;
/** How far a list can be pulled beyond its end, in dp. */
const MAX_PULL = 56;
const SPRING_BACK_MS = 280;
/**
 * Offsets are multiples of 4/3 dp, which is two pixels of the video, so that the encoder can encode a scroll as a
 * motion vector.
 */
const STEP = 4 / 3;

/**
 * The scroll position of a list. It follows the pointer, continues by inertia, and springs back from beyond its ends.
 */
export class Scroller implements Drag {
  readonly axis: 'vertical' | 'horizontal';
  readonly #animator: Animator;
  readonly #onChange: () => void;
  #position = 0;
  #limit = 0;
  #stop: (() => void) | null = null;

  constructor(animator: Animator, onChange: () => void, axis: 'vertical' | 'horizontal' = 'vertical') {
    this.#animator = animator;
    this.#onChange = onChange;
    this.axis = axis;
  }

  /**
   * The distance in dp to subtract from the content's position. While the list is pulled beyond its ends, it is
   * negative or greater than `limit`.
   */
  get offset(): number {
    return Math.round(this.#position / STEP) * STEP;
  }

  get moving(): boolean {
    return this.#stop !== null;
  }

  /** Sets the scrollable length. Called whenever the content is laid out. */
  layout(viewLength: number, contentLength: number): void {
    this.#limit = Math.max(0, contentLength - viewLength);
    if (!this.moving && !this.#held) this.#position = clamp(this.#position, 0, this.#limit);
  }

  #held = false;

  jumpTo(position: number): void {
    this.#halt();
    this.#position = clamp(position, 0, this.#limit);
    this.#onChange();
  }

  /** Scrolls by the smallest distance that brings `start` to `end` into a view of the given length. */
  reveal(start: number, end: number, viewLength: number): void {
    const position = clamp(this.#position, end - viewLength, start);
    if (position !== this.#position) this.jumpTo(position);
  }

  start(): void {
    this.#halt();
    this.#held = true;
  }

  move(delta: Point): void {
    const along = this.axis === 'vertical' ? delta.y : delta.x;
    const beyond = this.#position < 0 ? -this.#position : Math.max(0, this.#position - this.#limit);
    const outwards = this.#position < 0 ? along > 0 : beyond > 0 && along < 0;
    const give = outwards ? Math.max(0, 1 - beyond / MAX_PULL) * 0.5 : 1;
    this.#position = clamp(this.#position - along * give, -MAX_PULL, this.#limit + MAX_PULL);
    this.#onChange();
  }

  end(velocity: Point): void {
    this.#held = false;
    const along = -(this.axis === 'vertical' ? velocity.y : velocity.x);
    if (this.#position < 0 || this.#position > this.#limit) this.#springBack();
    else if (Math.abs(along) > STILL) this.#fling(along);
  }

  wheel(delta: Point): void {
    const along = this.axis === 'vertical' ? delta.y : delta.x;
    const from = this.#position;
    const to = clamp(from + along, 0, this.#limit);
    this.#halt();
    if (from === to) return;
    this.#moveBy(
      this.#animator.ease(
        120,
        (share) => this.#place(from + (to - from) * share),
        () => this.#ended(),
      ),
    );
  }

  #fling(speed: number): void {
    const from = this.#position;
    this.#moveBy(
      this.#animator.run((elapsed) => {
        const slowed = Math.exp(-elapsed / FRICTION);
        const position = from + speed * FRICTION * (1 - slowed);
        const inside = clamp(position, 0, this.#limit);
        this.#place(inside);
        const goesOn = inside === position && Math.abs(speed * slowed) > STILL;
        if (!goesOn) this.#ended();
        return goesOn;
      }),
    );
  }

  #springBack(): void {
    const from = this.#position;
    const to = clamp(from, 0, this.#limit);
    this.#moveBy(
      this.#animator.ease(
        SPRING_BACK_MS,
        (share) => this.#place(from + (to - from) * share),
        () => this.#ended(),
      ),
    );
  }

  #moveBy(stop: () => void): void {
    this.#stop = stop;
  }

  #place(position: number): void {
    this.#position = position;
    this.#onChange();
  }

  #ended(): void {
    this.#stop = null;
  }

  #halt(): void {
    this.#stop?.();
    this.#stop = null;
  }
}
