import type { Session } from '../contract/http/session.ts';
import { ControlError } from './control-socket.ts';

const POLL_MS = 2_000;

/**
 * Replaces a control link for a client that only watches: it polls the session, and the current controller keeps
 * control.
 */
export class SessionPoll {
  readonly phase = 'ready';
  readonly problem = null;
  readonly #read: () => Promise<Session>;
  readonly #onSession: (session: Session) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #done = false;

  constructor(read: () => Promise<Session>, onSession: (session: Session) => void) {
    this.#read = read;
    this.#onSession = onSession;
    this.#timer = setTimeout(() => this.#pollOnce(), 0);
  }

  async call(): Promise<never> {
    throw new ControlError(
      'this session is watch-only; to control it, attach without `watch`, with a key that allows control',
    );
  }

  dispose(): void {
    this.#done = true;
    clearTimeout(this.#timer);
  }

  async #pollOnce(): Promise<void> {
    // A failed read is retried at the next poll; by then the service may be reachable again, or the session has
    // ended.
    const session = await this.#read().catch(() => null);
    if (this.#done) return;
    if (session) this.#onSession(session);
    if (this.#done) return;
    this.#timer = setTimeout(() => this.#pollOnce(), POLL_MS);
  }
}
