import { deferred } from './deferred.ts';
import { Backoff } from './reconnect.ts';

/**
 * Holds commands back while the phone takes none. All of them share one wait: until the phone reports that it is ready
 * or, after a refusal, until one command has been sent on trial and was not refused.
 */
export class CommandGate {
  /** open: commands pass. closed: they wait. trial: the next one passes alone. */
  #state: 'open' | 'closed' | 'trial' = 'closed';
  #change = deferred<void>();
  #backoff = new Backoff();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #end: Error | null = null;

  /** Resolves when a command may be sent. @throws what `end` was called with, or the signal's reason */
  async pass(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#end) throw this.#end;
      if (this.#state === 'open') return;
      if (this.#state === 'trial') return this.#set('closed');
      await this.#change.promise;
    }
  }

  /** The phone takes commands. */
  open(): void {
    if (this.#state === 'open') return;
    this.#clearTimer();
    this.#backoff = new Backoff();
    this.#set('open');
  }

  /** The connection was lost: commands wait until `open` is called. */
  close(): void {
    this.#clearTimer();
    this.#set('closed');
  }

  /** A command was refused because the phone takes none now: commands wait for `open`, or for the next trial. */
  refuse(): void {
    // Commands that were sent together are refused together: the first refusal has begun the wait.
    if (this.#timer !== undefined || this.#end) return;
    this.#set('closed');
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#set('trial');
    }, this.#backoff.next(0));
  }

  /** No command passes any more; those that wait fail with this error. */
  end(error: Error): void {
    this.#end = error;
    this.#clearTimer();
    this.#change.resolve();
  }

  #set(state: 'open' | 'closed' | 'trial'): void {
    this.#state = state;
    this.#change.resolve();
    this.#change = deferred();
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
