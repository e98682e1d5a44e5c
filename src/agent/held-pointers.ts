import type { ControlParams } from '../contract/sockets/control-methods.ts';
import {
  encodeScrcpyControl,
  parseScrcpyControl,
  type ScrcpyControlMessage,
  TOUCH_ACTIONS,
} from '../contract/sockets/scrcpy-control.ts';
import type { PhoneSession } from '../drivers/driver.ts';

type InjectedTouch = Extract<ScrcpyControlMessage, { type: 'touch' }>;

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
  private readonly injected = new Map<bigint, InjectedTouch>();

  /** Records a `touch` call. */
  observe(touch: ControlParams<'touch'>): void {
    const pointer = touch.pointer ?? 0;
    if (touch.action === 'up' || touch.action === 'cancel') this.touches.delete(pointer);
    else if (touch.action === 'down') this.touches.set(pointer, touch);
  }

  /** Records a scrcpy control message that has been validated. */
  observeInjected(message: Uint8Array): void {
    const touch = parseScrcpyControl(message);
    if (touch.type !== 'touch') return;
    const { action, pointer } = touch;
    if (action === TOUCH_ACTIONS.up || action === TOUCH_ACTIONS.cancel) this.injected.delete(pointer);
    else if (action === TOUCH_ACTIONS.down && this.injected.size < MAX_POINTERS)
      this.injected.set(pointer, touch);
  }

  /** Lifts every pointer, with the same event that Android sends when the system takes over a gesture. */
  release(phone: PhoneSession, signal: AbortSignal): void {
    for (const touch of this.touches.values()) {
      phone.perform('touch', { ...touch, action: 'cancel' }, { signal }).catch(() => {});
    }
    for (const touch of this.injected.values()) {
      phone.inject(encodeScrcpyControl({ ...touch, action: TOUCH_ACTIONS.cancel }));
    }
    this.touches.clear();
    this.injected.clear();
  }
}
