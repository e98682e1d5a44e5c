import type { Animator } from '../ui/animator.ts';
import type { Clock } from '../ui/clock.ts';
import { clamp, type Point, type Rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import type { Region } from '../ui/region.ts';
import type { Drag, View } from '../ui/view.ts';

/** Distance in dp, and speed in dp/ms, of an upward swipe that unlocks the phone. Either is sufficient. */
const OPEN_DISTANCE = 110;
const OPEN_SPEED = 0.5;
/** Distance in dp over which the content of the lock screen fades out. */
const FADE_DISTANCE = 260;

/** The clock, the date, and a lock that an upward swipe opens. */
export class LockScreen implements Drag {
  readonly axis = 'vertical';
  readonly #clock: Clock;
  readonly #animator: Animator;
  readonly #region: Region;
  readonly #onChange: () => void;
  readonly #onUnlock: () => void;
  #lift = 0;
  #stop: (() => void) | null = null;

  constructor(options: {
    clock: Clock;
    animator: Animator;
    region: Region;
    onChange: () => void;
    onUnlock: () => void;
  }) {
    this.#clock = options.clock;
    this.#animator = options.animator;
    this.#region = options.region;
    this.#onChange = options.onChange;
    this.#onUnlock = options.onUnlock;
  }

  reset(): void {
    this.#stop?.();
    this.#stop = null;
    this.#lift = 0;
  }

  start(): void {
    this.#stop?.();
  }

  move(delta: Point): void {
    this.#lift = Math.max(0, this.#lift - delta.y);
    this.#onChange();
  }

  end(velocity: Point): void {
    const opens = this.#lift > OPEN_DISTANCE || (velocity.y < -OPEN_SPEED && this.#lift > 24);
    if (opens) this.open();
    else this.#glide(0, 220);
  }

  /** Slides the lock screen away, then unlocks. */
  open(): void {
    this.#glide(FADE_DISTANCE, 140, this.#onUnlock);
  }

  view(screen: Rect): View {
    const date = this.#clock.date();
    const wide = screen.width > screen.height;
    const time = this.#region.time(date);
    const day = this.#region.day(date);
    const middle = {
      x: screen.x + screen.width / 2,
      y: screen.y + screen.height * (wide ? 0.4 : 0.24) - this.#lift * 0.6,
    };
    const hintY = screen.y + screen.height - 52 - this.#lift * 0.6;
    const draw = (painter: Painter) =>
      painter.faded(1 - clamp(this.#lift / FADE_DISTANCE, 0, 1), () =>
        this.#draw(painter, middle, hintY, time, day),
      );
    const line = (text: string, id: string, y: number, height: number): View => ({
      role: 'text',
      id,
      text,
      bounds: { x: middle.x - 130, y, width: 260, height },
    });
    return {
      role: 'screen',
      id: 'lock-screen',
      bounds: screen,
      drag: this,
      draw,
      children: [
        line(time, 'lock-time', middle.y - 64, 76),
        line(day, 'lock-date', middle.y + 20, 26),
        line('Swipe up to unlock', 'lock-hint', hintY - 16, 22),
      ],
    };
  }

  #draw(painter: Painter, middle: Point, hintY: number, time: string, day: string): void {
    painter.icon('lock', { x: middle.x, y: middle.y - 92 }, 22, '#ffffff');
    painter.text(time, middle.x, middle.y, { size: 84, weight: 300, color: '#ffffff', align: 'center' });
    painter.text(day, middle.x, middle.y + 38, { size: 17, weight: 500, color: '#ffffff', align: 'center' });
    painter.text('Swipe up to unlock', middle.x, hintY, {
      size: 14,
      color: 'rgba(255,255,255,0.85)',
      align: 'center',
    });
  }

  #glide(to: number, ms: number, onEnd?: () => void): void {
    const from = this.#lift;
    this.#stop = this.#animator.ease(
      ms,
      (share) => {
        this.#lift = from + (to - from) * share;
        this.#onChange();
      },
      onEnd,
    );
  }
}
