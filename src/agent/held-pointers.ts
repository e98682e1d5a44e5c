import type { ControlParams } from '../contract/sockets/control-methods.ts';
import type { PhoneSession } from '../drivers/driver.ts';

/** Type, length and action offset of scrcpy's INJECT_TOUCH_EVENT message. */
const TOUCH_TYPE = 2;
const TOUCH_BYTES = 32;
const POINTER_OFFSET = 2;
/** ACTION_DOWN, ACTION_UP and ACTION_CANCEL of Android's MotionEvent. */
const DOWN = 0;
const UP = 1;
const CANCEL = 3;

/**
 * Maximum number of pointers that are tracked. The phone bounds the pointers of the contract and of scrcpy; no real
 * client holds more than this.
 */
const MAX_POINTERS = 32;

/**
 * The pointers that a client holds down, so that they can be lifted when it disconnects. A pointer that stays down
 * would block the next controller's input.
 */
export class HeldPointers {
  private readonly touches = new Map<number, ControlParams<'touch'>>();
  private readonly injected = new Map<bigint, Uint8Array>();

  /** Records a `touch` call. */
  observe(touch: ControlParams<'touch'>): void {
    const pointer = touch.pointer ?? 0;
    if (touch.action === 'up' || touch.action === 'cancel') this.touches.delete(pointer);
    else if (touch.action === 'down') this.touches.set(pointer, touch);
  }

  /** Records a scrcpy control message that has been validated. */
  observeInjected(message: Uint8Array): void {
    if (message[0] !== TOUCH_TYPE || message.length !== TOUCH_BYTES) return;
    const pointer = new DataView(message.buffer, message.byteOffset).getBigUint64(POINTER_OFFSET);
    const action = message[1];
    if (action === UP || action === CANCEL) this.injected.delete(pointer);
    else if (action === DOWN && this.injected.size < MAX_POINTERS)
      this.injected.set(pointer, message.slice());
  }

  /** Lifts every pointer, with the same event that Android sends when the system takes over a gesture. */
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
