import { EventReader } from '../../src/client/event-stream.ts';
import { until } from '../black-box/kit/wait.ts';

const DEADLINE_MS = 60_000;

interface Told {
  event: string;
  data: Record<string, unknown>;
  lastEventId: string | null;
}

/** A client of a stream of server-sent events that sees every byte of it, and may stop reading or be cut off. */
export class Listener implements AsyncDisposable {
  readonly events: Told[] = [];
  readonly status: number;
  readonly headers: Headers;
  text = '';
  /** How the stream ended; null: it has not. */
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

  /** Waits until the events, or whatever else is known, are as wanted. @throws Error with what came */
  async until<T>(what: string, find: () => T | undefined | null | false) {
    try {
      return await until(what, find, { deadlineMs: DEADLINE_MS, everyMs: 5 });
    } catch (error) {
      throw new Error(`${(error as Error).message}; there came\n${this.text}`);
    }
  }

  /** Of the events so far, and of those to come. */
  event(name: string, matches: (data: Told['data']) => boolean = () => true): Promise<Told> {
    return this.until(`event ${name}`, () =>
      this.events.find(({ event, data }) => event === name && matches(data)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leaving.abort();
    await this.until('end of the stream', () => this.ended);
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
