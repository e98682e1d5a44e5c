import type { Session } from '../contract/session.ts';
import { ControlError } from './control-socket.ts';

const POLL_MS = 2_000;

/** In place of a control link for who only watches: asks how the session is, and leaves control to whoever has it. */
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
    this.#timer = setTimeout(() => this.#look(), 0);
  }

  async call(): Promise<never> {
    throw new ControlError(
      'this session is only watched: control it with a key that may, attached to it without `watch`',
    );
  }

  dispose(): void {
    this.#done = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    // A service that cannot be reached now will be later, or the session has ended by then.
    const session = await this.#read().catch(() => null);
    if (this.#done) return;
    if (session) this.#onSession(session);
    if (this.#done) return;
    this.#timer = setTimeout(() => this.#look(), POLL_MS);
  }
}
