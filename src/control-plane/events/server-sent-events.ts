import { Readable } from 'node:stream';

export const EVENT_STREAM = 'text/event-stream';

/** Maximum number of characters queued for one client. It holds several of the largest batches of events. */
const MAX_WAITING = 2 * 1024 * 1024;

/**
 * A streaming response of server-sent events to one client. Unread messages are queued up to a limit. A client that
 * exceeds it is disconnected and can reconnect.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class ServerSentEvents extends Readable {
  /**
   * The result of the operation, if the stream delivers one: 0 or the error code, and the data that a plain response
   * would contain.
   */
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

  /** Time for which queued messages have waited while the client read nothing, ms. */
  get stuckMs(): number {
    return this.stuckSince === null ? 0 : performance.now() - this.stuckSince;
  }

  send(messages: string): void {
    if (this.ending || this.destroyed) return;
    // The limit is checked before the message is added, so that one large message does not disconnect a client that
    // reads.
    if (this.size > this.maxWaiting) return void this.destroy();
    this.waiting.push(messages);
    this.size += messages.length;
    this.flush();
  }

  /** Ends the stream after the queued messages are sent. A second call ends it immediately. */
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

/** Formats one event, with its data as JSON on one line. */
export const eventMessage = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Adds an id, which the client sends as `Last-Event-ID` when it reconnects. */
export const withId = (id: string, message: string): string => `id: ${id}\n${message}`;

/** A message with only an id, which does not dispatch an event. */
export const idMessage = (id: string): string => withId(id, '\n');

export const retryMessage = (ms: number): string => `retry: ${ms}\n\n`;

/** A comment that keeps the client and any proxy from timing out the connection. */
export const HEARTBEAT = ': still here\n\n';
