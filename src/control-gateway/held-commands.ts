import { RpcError } from './json-rpc.ts';

/** The longest time that a command is held. */
const HOLD_MS = 2_000;
/** Maximum number of one client's commands that are held at once; the next constant bounds their bytes. */
const MAX_HELD = 64;
const MAX_HELD_BYTES = 256 * 1024;

interface HeldCommand {
  since: number;
  bytes: number;
  proceed: () => void;
  reject: (error: RpcError) => void;
}

/**
 * Commands that arrive before the phone's ready message. A client that sees the first frame may send a command before
 * that message has reached the gateway, because frames take another path and the session's row changes later still.
 * Only the ready message shows whether the phone streams, so every command is held in order until it arrives, and is
 * rejected with -32003 if it does not arrive in time.
 */
export class HeldCommands {
  private held: HeldCommand[] = [];
  private timer: NodeJS.Timeout | undefined;

  get isEmpty(): boolean {
    return this.held.length === 0;
  }

  /**
   * Resolves when the phone is ready.
   * @throws RpcError -32003 when the phone is not ready in time or too many commands are held
   */
  hold(bytes: number): Promise<void> {
    const heldBytes = this.held.reduce((sum, command) => sum + command.bytes, 0);
    if (this.held.length >= MAX_HELD || heldBytes + bytes > MAX_HELD_BYTES)
      throw notReady(
        'too many commands are waiting for the phone; wait for session.ready before you send more',
      );
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.held.push({ since: performance.now(), bytes, proceed: resolve, reject: reject });
    this.rejectDue();
    return promise;
  }

  /** Lets all held commands proceed, because the phone is ready. */
  release(): void {
    clearTimeout(this.timer);
    for (const { proceed } of this.held.splice(0)) proceed();
  }

  /** Rejects all held commands, because their client no longer controls the phone. */
  drop(why: string): void {
    clearTimeout(this.timer);
    for (const { reject } of this.held.splice(0)) reject(notReady(why));
  }

  /** Rejects the commands that have been held for too long. */
  private rejectDue(): void {
    clearTimeout(this.timer);
    const now = performance.now();
    while (this.held[0] && this.held[0].since + HOLD_MS <= now)
      this.held.shift()!.reject(notReady('the phone is not ready yet; wait for session.ready'));
    const [oldest] = this.held;
    if (oldest) this.timer = setTimeout(() => this.rejectDue(), oldest.since + HOLD_MS - now + 1);
  }
}

const notReady = (message: string) => new RpcError('notConnected', message);
