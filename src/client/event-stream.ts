import { deferred } from './deferred.ts';

/** One server-sent event: its name, its data as text, and the id from which a client that reconnects continues. */
export interface StreamedEvent {
  event: string;
  data: string;
  lastEventId: string | null;
}

/** Maximum length of one event in characters. The service's events are far shorter. */
const MAX_EVENT = 4 * 1024 * 1024;

/**
 * Parses a stream of server-sent events incrementally.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventReader {
  /** The last id that was received, with an event or on its own. */
  lastEventId: string | null;
  readonly #decoder = new TextDecoder();
  #text = '';
  #event = '';
  #data: string[] = [];
  #size = 0;

  constructor(lastEventId: string | null = null) {
    this.lastEventId = lastEventId;
  }

  /** Returns the events that these bytes complete. @throws RangeError when an event exceeds the size limit */
  *read(bytes: Uint8Array): Generator<StreamedEvent> {
    this.#text += this.#decoder.decode(bytes, { stream: true });
    const lines = this.#text.split(/\r\n|\n/);
    this.#text = lines.pop()!;
    for (const line of lines) {
      const event = line === '' ? this.#complete() : this.#take(line);
      if (event) yield event;
    }
    if (this.#size + this.#text.length > MAX_EVENT) throw new RangeError('an event exceeds the maximum size');
  }

  #take(line: string): null {
    this.#size += line.length;
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    if (field === 'data') this.#data.push(value);
    if (field === 'id' && !value.includes('\0')) this.lastEventId = value;
    return null;
  }

  #complete(): StreamedEvent | null {
    const event = { event: this.#event, data: this.#data.join('\n'), lastEventId: this.lastEventId };
    const isEvent = this.#data.length > 0;
    this.#event = '';
    this.#data = [];
    this.#size = 0;
    return isEvent ? event : null;
  }
}

/**
 * Returns the events of a response until it ends. It gives up when no bytes arrive for `silenceMs`; comments count as
 * bytes.
 * @throws the error of reading the response, or Error after the silence
 */
export async function* eventsOf(
  response: Response,
  reader: EventReader,
  silenceMs: number,
): AsyncGenerator<StreamedEvent> {
  const body = response.body?.getReader();
  if (!body) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const silent = deferred<never>();
      timer = setTimeout(
        () => silent.reject(new Error(`no data arrived for ${silenceMs / 1000} s`)),
        silenceMs,
      );
      const { done, value } = await Promise.race([body.read(), silent.promise]);
      clearTimeout(timer);
      if (done) return;
      yield* reader.read(value);
    }
  } finally {
    clearTimeout(timer);
    body.cancel().catch(() => {});
  }
}

/** Waits for `ms` milliseconds, or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}
