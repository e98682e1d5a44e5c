/**
 * Bounded queue of messages for one subscriber. When it is full, the oldest message is dropped and counted. The
 * handler runs in a later turn of the event loop, never in the caller's stack; an error that it throws surfaces as an
 * uncaught exception.
 */
export class DeliveryQueue<T> {
  private readonly handler: (message: T) => void;
  private readonly maxPending: number;
  private readonly onDrop: () => void;
  private pending: T[] = [];
  private scheduled = false;
  private closed = false;

  constructor(handler: (message: T) => void, options: { maxPending: number; onDrop: () => void }) {
    this.handler = handler;
    this.maxPending = options.maxPending;
    this.onDrop = options.onDrop;
  }

  push(message: T): void {
    if (this.closed) return;
    if (this.pending.length >= this.maxPending) {
      this.pending.shift();
      this.onDrop();
    }
    this.pending.push(message);
    this.schedule();
  }

  /** Discards the waiting messages. */
  close(): void {
    this.closed = true;
    this.pending = [];
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.deliver());
  }

  /**
   * Delivers the messages that wait now. Messages that a handler publishes are delivered in a later turn, so that the
   * loop ends.
   */
  private deliver(): void {
    this.scheduled = false;
    const messages = this.pending.splice(0);
    try {
      while (messages.length > 0 && !this.closed) this.handler(messages.shift()!);
    } finally {
      if (messages.length > 0 && !this.closed) {
        this.pending.unshift(...messages);
        this.schedule();
      }
    }
  }
}
