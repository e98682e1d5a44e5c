import { Readable } from 'node:stream';

export const EVENT_STREAM = 'text/event-stream';

/** Characters that may wait for one client: several of the largest batches of events. */
const MAX_WAITING = 2 * 1024 * 1024;

/**
 * An answer that goes on: server-sent events, to one client. What the client has not taken yet waits here, bounded; one
 * that lets more pile up is cut off, and may come back.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class ServerSentEvents extends Readable {
  /** What came of the request, where the stream tells of one: 0 or the error's code, and what would be answered without it. */
  outcome: { code: number; data: unknown } | null = null;
  private readonly maxWaiting: number;
  private waiting: string[] = [];
  private size = 0;
  private wanted = false;
  private ending = false;
  private stuckSince: number | null = null;

  constructor(maxWaiting = MAX_WAITING) {
    super();
    this.maxWaiting = maxWaiting;
  }

  /** How long something has waited for the client while it took nothing, ms. */
  get stuckMs(): number {
    return this.stuckSince === null ? 0 : performance.now() - this.stuckSince;
  }

  tell(messages: string): void {
    if (this.ending || this.destroyed) return;
    // Before it is added: one large piece alone cuts off nobody who reads
    if (this.size > this.maxWaiting) return void this.destroy();
    this.waiting.push(messages);
    this.size += messages.length;
    this.flush();
  }

  /** Nothing more comes; what waits still goes out, until this is called again. */
  finish(): void {
    if (this.ending) return void this.destroy();
    this.ending = true;
    this.flush();
  }

  override _read(): void {
    this.wanted = true;
    this.stuckSince = null;
    this.flush();
  }

  private flush(): void {
    while (this.wanted && this.waiting.length > 0) {
      const messages = this.waiting.shift()!;
      this.size -= messages.length;
      this.wanted = this.push(messages);
    }
    if (this.waiting.length > 0) this.stuckSince ??= performance.now();
    else if (this.ending) this.push(null);
  }
}

/** One event, its data on one line as JSON is. */
export const eventMessage = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** The same with an id, which the client names when it comes back. */
export const withId = (id: string, message: string): string => `id: ${id}\n${message}`;

/** An id by itself, which is no event. */
export const idMessage = (id: string): string => withId(id, '\n');

export const retryMessage = (ms: number): string => `retry: ${ms}\n\n`;

/** A comment, so that neither end nor anything between them takes the connection for dead. */
export const HEARTBEAT = ': still here\n\n';
