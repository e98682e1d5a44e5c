import type { Clock } from '../ui/clock.ts';
import type { Point, Rect } from '../ui/geometry.ts';
import { type Drag, hit, type Touch, type View } from '../ui/view.ts';

/** Distance in dp beyond which a press becomes a drag (Android's touch slop). */
const SLOP = 8;
/** Android's ViewConfiguration.getLongPressTimeout, in milliseconds. */
const LONG_PRESS_MS = 400;
/** Speeds are computed from the last milliseconds of a movement. */
const VELOCITY_WINDOW_MS = 100;
/** Maximum number of pointers; no real client uses more. */
const MAX_POINTERS = 16;

/** The state of one pointer. */
interface Finger {
  readonly start: Point;
  last: Point;
  readonly pressed: View | null;
  readonly drags: readonly Drag[];
  readonly raw: View | null;
  dragging: Drag | null;
  /** The press has turned into another gesture, so lifting the pointer does not tap. */
  spent: boolean;
  cancelLongPress: () => void;
  readonly trail: { at: Point; time: number }[];
}

/** Converts touches into taps, long presses and drags of the views that they hit. */
export class TouchDispatcher {
  readonly #clock: Clock;
  readonly #root: () => View;
  readonly #onChange: (area: Rect) => void;
  readonly #fingers = new Map<string, Finger>();

  /** `onChange` is called with the bounds of a view whose pressed state changes. */
  constructor(clock: Clock, root: () => View, onChange: (area: Rect) => void) {
    this.#clock = clock;
    this.#root = root;
    this.#onChange = onChange;
  }

  /** The id of the view that is shown as pressed. */
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
    if (touch.action === 'up' || touch.action === 'cancel') this.#remove(touch.pointer, finger);
  }

  /** Scrolls the topmost scrollable view at the point. */
  wheel(at: Point, delta: Point): void {
    const path = hit(this.#root(), at) ?? [];
    path.findLast((view) => view.drag?.wheel)?.drag?.wheel?.(delta);
  }

  /** Cancels all pointers without a tap. */
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

  #remove(pointer: string, finger: Finger): void {
    finger.cancelLongPress();
    this.#fingers.delete(pointer);
    this.#changed(finger);
  }

  #changed({ pressed }: Finger): void {
    if (pressed) this.#onChange(pressed.bounds);
  }

  /** The speed is 0 if the pointer rested before it was lifted. */
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
