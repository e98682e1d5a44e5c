import type { ControlParams } from '../../../contract/sockets/control-methods.ts';
import { boundedNotches, notchesOf, type Point, pointOn } from './pointer-map.ts';
import { type Touch, TouchTracker } from './touch-tracker.ts';

export interface PointerTarget {
  touch(touch: Touch): void;
  scroll(scroll: ControlParams<'scroll'>): void;
  /** Called for the right and the middle mouse button, which act as keys, as in scrcpy. */
  key(key: 'BACK' | 'HOME'): void;
  /** Called when a mouse button is pressed on the screen. Keyboard input goes to the phone from then on. */
  onMouse(): void;
}

/**
 * Sends mouse, pen and touch input on an element to the phone, at most once per display frame. Returns a function
 * that detaches it.
 */
export function attachPointer(element: HTMLElement, target: PointerTarget): () => void {
  const tracker = new TouchTracker(target.touch);
  const listeners = new AbortController();
  let wheel: { at: Point; dx: number; dy: number } | null = null;
  let frame = 0;

  const flush = () => {
    frame = 0;
    tracker.flush();
    if (wheel) target.scroll({ ...wheel.at, dx: boundedNotches(wheel.dx), dy: boundedNotches(wheel.dy) });
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
    // Keeps the focus where it is, and prevents text selection.
    event.preventDefault();
    if (event.pointerType === 'mouse') target.onMouse();
    if (event.button === 1 || event.button === 2) return target.key(event.button === 1 ? 'HOME' : 'BACK');
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    // Only a pen measures pressure. Other pointers report the placeholder 0.5.
    const pressure = event.pointerType === 'pen' ? event.pressure : 1;
    tracker.down(event.pointerId, place(event), { pinch: event.ctrlKey, pressure });
  });
  on('pointermove', (event) => {
    tracker.move(event.pointerId, place(event));
    if (tracker.isTouching) flushSoon();
  });
  on('pointerup', (event) => tracker.up(event.pointerId, place(event)));
  on('pointercancel', (event) => tracker.cancel(event.pointerId));
  // After `pointerup` there is no touch left to cancel. This handles a capture that was lost for another reason.
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
