import type { Canvas } from '@napi-rs/canvas';
import type { Animator } from '../ui/animator.ts';
import { mix, mixRect, type Rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';

const OPEN_MS = 220;
const CLOSE_MS = 180;

/** The animation of an app that grows out of its icon, or shrinks back into it. */
export class Transition {
  readonly #animator: Animator;
  readonly #onChange: () => void;
  #current: {
    snapshot: Canvas;
    from: Rect;
    to: Rect;
    opening: boolean;
    share: number;
    stop: () => void;
  } | null = null;

  constructor(animator: Animator, onChange: () => void) {
    this.#animator = animator;
    this.#onChange = onChange;
  }

  get running(): boolean {
    return this.#current !== null;
  }

  open(snapshot: Canvas, icon: Rect, screen: Rect): void {
    this.#run(snapshot, icon, screen, true);
  }

  close(snapshot: Canvas, icon: Rect, screen: Rect): void {
    this.#run(snapshot, screen, icon, false);
  }

  /** Ends the animation at once. */
  cancel(): void {
    this.#current?.stop();
    this.#current = null;
  }

  draw(painter: Painter): void {
    if (!this.#current) return;
    const { snapshot, from, to, opening, share } = this.#current;
    const at = mixRect(from, to, share);
    const alpha = opening ? Math.min(1, share * 2.5) : Math.min(1, (1 - share) * 2.5);
    const image = { ...at, height: (at.width * snapshot.height) / snapshot.width };
    const radius = opening ? mix(28, 0, share) : mix(0, 28, share);
    painter.faded(alpha, () => painter.clipped(at, () => painter.image(snapshot, image), radius));
  }

  #run(snapshot: Canvas, from: Rect, to: Rect, opening: boolean): void {
    this.cancel();
    const stop = this.#animator.ease(
      opening ? OPEN_MS : CLOSE_MS,
      (share) => {
        if (this.#current) this.#current.share = share;
        this.#onChange();
      },
      () => {
        this.#current = null;
        this.#onChange();
      },
    );
    this.#current = { snapshot, from, to, opening, share: 0, stop };
  }
}
