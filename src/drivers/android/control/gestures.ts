import { setTimeout as delay } from 'node:timers/promises';
import { TOUCH_ACTIONS, type TouchAction } from '../../../contract/sockets/scrcpy-control.ts';
import { touchMessage } from '../scrcpy/control-messages.ts';
import { deliver, type PhoneContext } from './phone-context.ts';

export interface Point {
  x: number;
  y: number;
}

const STEP_MS = 1000 / 60;
/** A pointer id outside 0 to 9, which a client's own touches use. */
const GESTURE_POINTER = 10;

/** Touch gestures, performed with scrcpy's touch messages. An aborted gesture lifts its pointer. */
export class Gestures {
  readonly #phone: PhoneContext;

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  touch(action: TouchAction, pointer: number, at: Point, pressure: number): void {
    const send = (code: number, force: number) =>
      deliver(this.#phone, touchMessage(code, pointer, { ...at, ...this.#phone.size }, force));
    send(TOUCH_ACTIONS[action], action === 'up' || action === 'cancel' ? 0 : pressure);
    // scrcpy only treats a pointer as lifted at UP; Android ignores an UP that follows a CANCEL.
    if (action === 'cancel') send(TOUCH_ACTIONS.up, 0);
  }

  async hold(at: Point, ms: number, signal: AbortSignal): Promise<void> {
    await this.#finger(at, signal, async () => {
      await delay(ms, undefined, { signal });
      return at;
    });
  }

  /** A straight line at constant speed. */
  async swipe(from: Point, to: Point, ms: number, signal: AbortSignal): Promise<void> {
    await this.#finger(from, signal, async () => {
      const start = performance.now();
      for (let passed = 0; passed < ms; passed = performance.now() - start) {
        await delay(Math.min(STEP_MS, ms - passed), undefined, { signal });
        const part = Math.min(1, (performance.now() - start) / ms);
        const at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
        this.touch('move', GESTURE_POINTER, at, 1);
      }
      return to;
    });
  }

  async #finger(from: Point, signal: AbortSignal, move: () => Promise<Point>): Promise<void> {
    signal.throwIfAborted();
    this.touch('down', GESTURE_POINTER, from, 1);
    try {
      this.touch('up', GESTURE_POINTER, await move(), 0);
    } catch (error) {
      if (signal.aborted) this.touch('cancel', GESTURE_POINTER, from, 0);
      throw error;
    }
  }
}
