import { deferred } from './deferred.ts';
import { Backoff } from './reconnect.ts';

/**
 * Holds commands back while the phone accepts none. All commands share one wait: until the phone reports that it is
 * ready or, after a rejection, until one command has been sent on trial and was not rejected.
 */
export class CommandGate {
  /** open: commands pass. closed: they wait. trial: the next one passes alone. */
  #state: 'open' | 'closed' | 'trial' = 'closed';
  #change = deferred<void>();
  #backoff = new Backoff();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #end: Error | null = null;

  /** Resolves when a command may be sent. @throws the error that was passed to `end`, or the signal's reason */
  async pass(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#end) throw this.#end;
      if (this.#state === 'open') return;
      if (this.#state === 'trial') return this.#set('closed');
      await this.#change.promise;
    }
  }

  /** Called when the phone accepts commands. */
  open(): void {
    if (this.#state === 'open') return;
    this.#clearTimer();
    this.#backoff = new Backoff();
    this.#set('open');
  }

  /** Called when the connection was lost: commands wait until `open` is called. */
  close(): void {
    this.#clearTimer();
    this.#set('closed');
  }

  /**
   * Called when a command was rejected because the phone accepts none now: commands wait for `open`, or for the next
   * trial.
   */
  refuse(): void {
    // Commands that were sent together are rejected together: the first rejection has started the wait.
    if (this.#timer !== undefined || this.#end) return;
    this.#set('closed');
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#set('trial');
    }, this.#backoff.next(0));
  }

  /** Rejects all commands from now on, including those that wait, with this error. */
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
