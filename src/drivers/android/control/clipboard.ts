import { encodeScrcpyControl } from '../../../contract/sockets/scrcpy-control.ts';
import { startDeadline } from '../../../util/deadline.ts';
import { DriverError } from '../../driver.ts';
import type { DeviceMessage } from '../scrcpy/device-messages.ts';
import { deliver, type PhoneContext } from './phone-context.ts';

const ACKNOWLEDGE_TIMEOUT_MS = 5_000;

/**
 * The known state of the phone's clipboard. scrcpy reports what is copied on the phone, but not what is set through
 * scrcpy itself. A new session begins with an empty clipboard, because cleaning clears it.
 */
export class Clipboard {
  readonly #phone: PhoneContext;
  readonly #waiting = new Map<bigint, () => void>();
  #text = '';
  #sequence = 1n;

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  get text(): string {
    return this.#text;
  }

  take(message: DeviceMessage): void {
    if (message.type === 'clipboard') this.noticed(message.text);
    else this.#waiting.get(message.sequence)?.();
  }

  /** Stores the new text and notifies the controller if it has changed. */
  noticed(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#phone.notify({ method: 'clipboard.changed', params: { text } });
  }

  /** Resolves when the phone has the text and, if `paste` is set, has pressed PASTE. @throws DriverError */
  async set(text: string, paste: boolean, signal: AbortSignal): Promise<void> {
    const sequence = this.#sequence++;
    const done = Promise.withResolvers<void>();
    const late = new DriverError(
      'failed',
      'the phone did not confirm the change of its clipboard; try again',
    );
    const stopDeadline = startDeadline(ACKNOWLEDGE_TIMEOUT_MS, () => done.reject(late));
    const abort = () => done.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.set(sequence, done.resolve);
    try {
      deliver(this.#phone, encodeScrcpyControl({ type: 'set-clipboard', sequence, text, paste }));
      await done.promise;
    } finally {
      done.promise.catch(() => {});
      stopDeadline();
      signal.removeEventListener('abort', abort);
      this.#waiting.delete(sequence);
    }
    this.noticed(text);
  }
}
