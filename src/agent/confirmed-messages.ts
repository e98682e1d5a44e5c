import type { PauseWatch } from '../util/pause-watch.ts';

/** Time within which the control plane must confirm the leases. A host reports at once when it detects a pause. */
const HOLD_MS = 3_000;
const MAX_MESSAGES = 64;
const MAX_BYTES = 1024 * 1024;

interface Options<T> {
  pauses: Pick<PauseWatch, 'isInDoubt' | 'whenConfirmed'>;
  /** Called with each message, in order, as soon as it is certain that its lease is still valid. */
  deliver: (message: T) => void;
  /** Called with the messages whose lease was not confirmed in time, or that are too many to wait. */
  reject: (messages: T[]) => void;
  /** Called when a message has to wait. The control plane should be asked for the confirmation now. */
  onDoubt: () => void;
}

/**
 * Holds the messages that arrive while it is unknown whether their lease is still valid, because the process stood
 * still, until the control plane has confirmed the leases.
 */
export class ConfirmedMessages<T> {
  private readonly options: Options<T>;
  private waiting: T[] = [];
  private waitingBytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: Options<T>) {
    this.options = options;
  }

  take(message: T, bytes: number): void {
    const { pauses, deliver, reject, onDoubt } = this.options;
    if (this.waiting.length === 0 && !pauses.isInDoubt) {
      deliver(message);
      return;
    }
    if (this.waiting.length >= MAX_MESSAGES || this.waitingBytes + bytes > MAX_BYTES) {
      reject([message]);
      return;
    }
    this.waitingBytes += bytes;
    if (this.waiting.push(message) > 1) return;
    this.timer = setTimeout(() => this.rejectAll(), HOLD_MS);
    const held = this.waiting;
    void pauses.whenConfirmed().then(() => {
      if (held === this.waiting) for (const one of this.takeAll()) deliver(one);
    });
    onDoubt();
  }

  /** Rejects the messages that are waiting. */
  rejectAll(): void {
    const messages = this.takeAll();
    if (messages.length > 0) this.options.reject(messages);
  }

  private takeAll(): T[] {
    clearTimeout(this.timer);
    const messages = this.waiting;
    this.waiting = [];
    this.waitingBytes = 0;
    return messages;
  }
}
