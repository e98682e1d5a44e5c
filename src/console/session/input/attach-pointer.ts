import type { ControlParams } from '../../../contract/control-methods.ts';
import { notchesOf, type Point, pointOn } from './pointer-map.ts';
import { type Touch, TouchTracker } from './touch-tracker.ts';

export interface PointerTarget {
  touch(touch: Touch): void;
  scroll(scroll: ControlParams<'scroll'>): void;
  /** The right and the middle button are keys, as scrcpy has them. */
  key(key: 'BACK' | 'HOME'): void;
  /** A mouse touched the screen: what is typed from now on is for the phone. */
  onMouse(): void;
}

const MOST_NOTCHES = 16;
const within = (value: number) => Math.min(MOST_NOTCHES, Math.max(-MOST_NOTCHES, value));

/** Lets mouse, pen and fingers on an element work the phone, at most once per frame of the display. Returns the end of it. */
export function attachPointer(element: HTMLElement, target: PointerTarget): () => void {
  const tracker = new TouchTracker(target.touch);
  const listeners = new AbortController();
  let wheel: { at: Point; dx: number; dy: number } | null = null;
  let frame = 0;

  const flush = () => {
    frame = 0;
    tracker.flush();
    if (wheel) target.scroll({ ...wheel.at, dx: within(wheel.dx), dy: within(wheel.dy) });
    wheel = null;
  };
  const flushSoon = () => {
    if (frame === 0) frame = requestAnimationFrame(flush);
  };
  const place = (event: MouseEvent) => pointOn(element.getBoundingClientRect(), event.clientX, event.clientY);
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
  ) => element.addEventListener(type, listener, { signal: listeners.signal, passive: false });

  on('pointerdown', (event) => {
    // Keeps the focus where it is, and the page from selecting.
    event.preventDefault();
    if (event.pointerType === 'mouse') target.onMouse();
    if (event.button === 1 || event.button === 2) return target.key(event.button === 1 ? 'HOME' : 'BACK');
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    // Only a pen measures it; whatever cannot reports one half.
    const pressure = event.pointerType === 'pen' ? event.pressure : 1;
    tracker.down(event.pointerId, place(event), { pinch: event.ctrlKey, pressure });
  });
  on('pointermove', (event) => {
    tracker.move(event.pointerId, place(event));
    if (tracker.isTouching) flushSoon();
  });
  on('pointerup', (event) => tracker.up(event.pointerId, place(event)));
  on('pointercancel', (event) => tracker.cancel(event.pointerId));
  // After `pointerup` there is nothing left to cancel: this is for a capture that something else took.
  on('lostpointercapture', (event) => tracker.cancel(event.pointerId));
  on('contextmenu', (event) => event.preventDefault());
  on('wheel', (event) => {
    event.preventDefault();
    const { dx, dy } = notchesOf(event);
    wheel = { at: place(event), dx: (wheel?.dx ?? 0) + dx, dy: (wheel?.dy ?? 0) + dy };
    flushSoon();
  });

  return () => {
    listeners.abort();
    cancelAnimationFrame(frame);
    tracker.cancelAll();
  };
}
