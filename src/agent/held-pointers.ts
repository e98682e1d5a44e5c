import type { ControlParams } from '../contract/control-methods.ts';
import type { PhoneSession } from '../drivers/driver.ts';

/** scrcpy's INJECT_TOUCH_EVENT: its type, its length, and where its action is. */
const TOUCH_TYPE = 2;
const TOUCH_BYTES = 32;
const POINTER_OFFSET = 2;
/** MotionEvent's ACTION_DOWN, ACTION_UP and ACTION_CANCEL. */
const DOWN = 0;
const UP = 1;
const CANCEL = 3;

/** The contract's pointers and scrcpy's are bounded by the phone; beyond this a client is not using fingers. */
const MAX_POINTERS = 32;

/**
 * The fingers that a client has on the glass, so that they can be lifted for it when it goes: a pointer left down
 * would hold the screen of whoever controls next.
 */
export class HeldPointers {
  private readonly touches = new Map<number, ControlParams<'touch'>>();
  private readonly injected = new Map<bigint, Uint8Array>();

  /** A `touch` call. */
  observe(touch: ControlParams<'touch'>): void {
    const pointer = touch.pointer ?? 0;
    if (touch.action === 'up' || touch.action === 'cancel') this.touches.delete(pointer);
    else if (touch.action === 'down') this.touches.set(pointer, touch);
  }

  /** A scrcpy control message, validated. */
  observeInjected(message: Uint8Array): void {
    if (message[0] !== TOUCH_TYPE || message.length !== TOUCH_BYTES) return;
    const pointer = new DataView(message.buffer, message.byteOffset).getBigUint64(POINTER_OFFSET);
    const action = message[1];
    if (action === UP || action === CANCEL) this.injected.delete(pointer);
    else if (action === DOWN && this.injected.size < MAX_POINTERS)
      this.injected.set(pointer, message.slice());
  }

  /** Lifts every finger, as the system does when it takes a gesture over. */
  release(phone: PhoneSession, signal: AbortSignal): void {
    for (const touch of this.touches.values()) {
      phone.perform('touch', { ...touch, action: 'cancel' }, { signal }).catch(() => {});
    }
    for (const message of this.injected.values()) {
      message[1] = CANCEL;
      phone.inject(message);
    }
    this.touches.clear();
    this.injected.clear();
  }
}
