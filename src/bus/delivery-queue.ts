/**
 * What waits for one subscriber, bounded: above the bound the oldest message is dropped and counted. Its handler
 * runs later, never inside the caller's stack; what it throws is its own fault and surfaces as an uncaught error.
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

  /** What waits is forgotten. */
  close(): void {
    this.closed = true;
    this.pending = [];
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.deliver());
  }

  /** Delivers what waits now; what a handler publishes meanwhile has its turn later, so that the loop ends. */
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
