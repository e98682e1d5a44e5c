import type { Clock } from '../ui/clock.ts';
import type { Point, Rect } from '../ui/geometry.ts';
import { type Drag, hit, type Touch, type View } from '../ui/view.ts';

/** Further than this, in dp, a press is a drag (Android's touch slop). */
const SLOP = 8;
/** Android's ViewConfiguration.getLongPressTimeout, in ms. */
const LONG_PRESS_MS = 400;
/** A speed is what the finger did in the last so many ms. */
const VELOCITY_WINDOW_MS = 100;
/** More fingers than anybody has. */
const MAX_POINTERS = 16;

/** What one finger is doing. */
interface Finger {
  readonly start: Point;
  last: Point;
  readonly pressed: View | null;
  readonly drags: readonly Drag[];
  readonly raw: View | null;
  dragging: Drag | null;
  /** The press has turned into something else: lifting the finger taps nothing. */
  spent: boolean;
  cancelLongPress: () => void;
  readonly trail: { at: Point; time: number }[];
}

/** Turns touches into taps, long presses and drags of the views they fall on. */
export class TouchDispatcher {
  readonly #clock: Clock;
  readonly #root: () => View;
  readonly #onChange: (area: Rect) => void;
  readonly #fingers = new Map<string, Finger>();

  /** `onChange` is called with the bounds of a view that becomes pressed, or ceases to be. */
  constructor(clock: Clock, root: () => View, onChange: (area: Rect) => void) {
    this.#clock = clock;
    this.#root = root;
    this.#onChange = onChange;
  }

  /** The view that looks pressed. */
  get pressedId(): string | null {
    for (const finger of this.#fingers.values()) {
      if (finger.pressed?.id !== undefined && !finger.spent) return finger.pressed.id;
    }
    return null;
  }

  touch(touch: Touch): void {
    if (touch.action === 'down') {
      this.#down(touch);
      return;
    }
    const finger = this.#fingers.get(touch.pointer);
    if (!finger) return;
    if (finger.raw) finger.raw.onTouch?.(touch);
    else if (touch.action === 'move') this.#move(finger, touch.at);
    else this.#up(finger, touch);
    if (touch.action === 'up' || touch.action === 'cancel') this.#forget(touch.pointer, finger);
  }

  /** A wheel turns the topmost thing under it that scrolls. */
  wheel(at: Point, delta: Point): void {
    const path = hit(this.#root(), at) ?? [];
    path.findLast((view) => view.drag?.wheel)?.drag?.wheel?.(delta);
  }

  /** Takes every finger off without anything being tapped. */
  cancelAll(): void {
    for (const [pointer, finger] of [...this.#fingers]) {
      this.touch({ action: 'cancel', pointer, at: finger.last, pressure: 0 });
    }
  }

  #down(touch: Touch): void {
    if (this.#fingers.has(touch.pointer)) this.touch({ ...touch, action: 'cancel' });
    if (this.#fingers.size >= MAX_POINTERS) return;
    const path = hit(this.#root(), touch.at) ?? [];
    const top = path.at(-1);
    const raw = top?.onTouch ? top : null;
    const pressed = path.findLast((view) => view.onTap ?? view.onLongPress) ?? null;
    const finger: Finger = {
      start: touch.at,
      last: touch.at,
      pressed: raw ? null : pressed,
      drags: path.flatMap((view) => view.drag ?? []).reverse(),
      raw,
      dragging: null,
      spent: false,
      cancelLongPress: () => {},
      trail: [{ at: touch.at, time: this.#clock.now() }],
    };
    this.#fingers.set(touch.pointer, finger);
    if (raw) {
      raw.onTouch?.(touch);
      return;
    }
    if (pressed?.onLongPress) {
      finger.cancelLongPress = this.#clock.after(LONG_PRESS_MS, () => this.#longPress(finger));
    }
    this.#changed(finger);
  }

  #longPress(finger: Finger): void {
    if (finger.spent) return;
    finger.spent = true;
    finger.pressed?.onLongPress?.(finger.start);
    this.#changed(finger);
  }

  #move(finger: Finger, at: Point): void {
    const now = this.#clock.now();
    finger.trail.push({ at, time: now });
    while (finger.trail.length > 2 && now - (finger.trail[0]?.time ?? now) > VELOCITY_WINDOW_MS)
      finger.trail.shift();
    if (finger.dragging) {
      finger.dragging.move({ x: at.x - finger.last.x, y: at.y - finger.last.y }, at);
      finger.last = at;
      return;
    }
    const across = at.x - finger.start.x;
    const down = at.y - finger.start.y;
    if (Math.hypot(across, down) <= SLOP) return;
    const held = finger.spent;
    finger.spent = true;
    finger.cancelLongPress();
    if (!held) {
      const axis = Math.abs(down) > Math.abs(across) ? 'vertical' : 'horizontal';
      finger.dragging = finger.drags.find((drag) => drag.axis === 'both' || drag.axis === axis) ?? null;
      finger.dragging?.start?.();
      finger.dragging?.move({ x: across, y: down }, at);
      finger.last = at;
    }
    this.#changed(finger);
  }

  #up(finger: Finger, touch: Touch): void {
    finger.cancelLongPress();
    if (finger.dragging) {
      finger.dragging.end(touch.action === 'up' ? this.#velocity(finger) : { x: 0, y: 0 });
    } else if (!finger.spent && touch.action === 'up') {
      finger.pressed?.onTap?.(touch.at);
    }
    finger.spent = true;
  }

  #forget(pointer: string, finger: Finger): void {
    finger.cancelLongPress();
    this.#fingers.delete(pointer);
    this.#changed(finger);
  }

  #changed({ pressed }: Finger): void {
    if (pressed) this.#onChange(pressed.bounds);
  }

  /** A finger that rested before it was lifted has no speed. */
  #velocity(finger: Finger): Point {
    const now = this.#clock.now();
    const recent = finger.trail.filter(({ time }) => now - time <= VELOCITY_WINDOW_MS);
    const first = recent[0];
    const last = recent.at(-1);
    if (!first || !last || last.time <= first.time) return { x: 0, y: 0 };
    const ms = now - first.time;
    return { x: (last.at.x - first.at.x) / ms, y: (last.at.y - first.at.y) / ms };
  }
}
