/** A request is held for at most this long, in case the event stream cannot be opened. */
const HOLD_MS = 1_000;

/**
 * Holds the first requests of a page until the event stream is open. Their responses then include everything that
 * happened before the stream started, so that nothing has to be fetched a second time.
 */
export class StreamGate {
  readonly #opened = Promise.withResolvers<void>();
  #isOpen = false;
  #hasPassed = false;

  /** Sends a request, after the gate has opened. The request for the stream itself is not held. */
  readonly fetch: typeof fetch = async (input, init) => {
    if (String(input).endsWith('/events')) return globalThis.fetch(input, init);
    if (!this.#isOpen) await this.#wait();
    this.#hasPassed = true;
    return globalThis.fetch(input, init);
  };

  async #wait(): Promise<void> {
    const timer = setTimeout(() => this.open(), HOLD_MS);
    await this.#opened.promise;
    clearTimeout(timer);
  }

  /** Sends the held requests. Returns whether a request was sent before, so that its response may be out of date. */
  open(): boolean {
    const hasPassed = this.#hasPassed;
    this.#isOpen = true;
    this.#opened.resolve();
    return hasPassed;
  }
}
