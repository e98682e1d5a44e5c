import { EventReader } from '../../src/client/event-stream.ts';
import { until } from '../black-box/kit/wait.ts';

const DEADLINE_MS = 60_000;

interface ReceivedEvent {
  event: string;
  data: Record<string, unknown>;
  lastEventId: string | null;
}

/** Client of a server-sent event stream. It records every byte, can stop reading, and can be disconnected. */
export class Listener implements AsyncDisposable {
  readonly events: ReceivedEvent[] = [];
  readonly status: number;
  readonly headers: Headers;
  text = '';
  /** How the stream ended, or null while it is open. */
  ended: 'cleanly' | 'cut' | null = null;
  private readonly reader = new EventReader();
  private readonly leaving: AbortController;

  private constructor(response: Response, leaving: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.leaving = leaving;
    void this.read(response);
  }

  static async open(url: string, init: RequestInit = {}): Promise<Listener> {
    const leaving = new AbortController();
    return new Listener(await fetch(url, { ...init, signal: leaving.signal }), leaving);
  }

  get lastEventId(): string | null {
    return this.reader.lastEventId;
  }

  /**
   * Waits until `find` returns a value.
   * @throws Error that lists the received events
   */
  async until<T>(what: string, find: () => T | undefined | null | false) {
    try {
      return await until(what, find, { deadlineMs: DEADLINE_MS, everyMs: 5 });
    } catch (error) {
      throw new Error(`${(error as Error).message}; received:\n${this.text}`);
    }
  }

  /** Returns the first matching event, among those received so far and those still to come. */
  event(
    name: string,
    matches: (data: ReceivedEvent['data']) => boolean = () => true,
  ): Promise<ReceivedEvent> {
    return this.until(`event ${name}`, () =>
      this.events.find(({ event, data }) => event === name && matches(data)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leaving.abort();
    await this.until('the end of the stream', () => this.ended);
  }

  private async read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body!) {
        this.text += decoder.decode(chunk, { stream: true });
        for (const one of this.reader.read(chunk)) this.events.push({ ...one, data: JSON.parse(one.data) });
      }
      this.ended = 'cleanly';
    } catch {
      this.ended = 'cut';
    }
  }
}
