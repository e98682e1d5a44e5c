import { RpcError } from './json-rpc.ts';

/** The longest time that a command is held. */
const HOLD_MS = 2_000;
/** How long a phone whose link is up has to say that it is ready; one that streams has said so by then. */
const SETTLE_MS = 250;
/** Commands of one client, and their bytes, that are held at once. */
const MAX_HELD = 64;
const MAX_HELD_BYTES = 256 * 1024;

/** What is known of the phone while it is not ready. */
export interface PhoneProspects {
  /** The session is connected by its row: the phone streams. */
  isConnected: boolean;
  /** Since when the link to the phone is up, on the monotonic clock; null: it is not, and whether the phone streams is unknown. */
  linkUpSince: number | null;
}

interface HeldCommand {
  since: number;
  bytes: number;
  go: () => void;
  refuse: (error: RpcError) => void;
}

/**
 * Commands that arrive before the gateway knows that the phone is ready. A client that sees the first picture may send a command
 * before the gateway has heard of it; such a command is held, in its order. One for a phone that does not stream yet is refused
 * with -32003.
 */
export class HeldCommands {
  private readonly prospects: () => PhoneProspects;
  private held: HeldCommand[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(prospects: () => PhoneProspects) {
    this.prospects = prospects;
  }

  get isEmpty(): boolean {
    return this.held.length === 0;
  }

  /** Resolves when the phone is ready. @throws RpcError -32003 when it is not in time, or too many are held */
  hold(bytes: number): Promise<void> {
    const heldBytes = this.held.reduce((sum, command) => sum + command.bytes, 0);
    if (this.held.length >= MAX_HELD || heldBytes + bytes > MAX_HELD_BYTES)
      throw notReady('too many commands wait for the phone to be ready');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.held.push({ since: performance.now(), bytes, go: resolve, refuse: reject });
    this.look();
    return promise;
  }

  /** The phone is ready. */
  release(): void {
    clearTimeout(this.timer);
    for (const { go } of this.held.splice(0)) go();
  }

  /** Whoever sent them is not answered by the phone any more. */
  drop(why: string): void {
    clearTimeout(this.timer);
    for (const { refuse } of this.held.splice(0)) refuse(notReady(why));
  }

  /** To be called when what is known of the phone has changed. */
  look(): void {
    clearTimeout(this.timer);
    const now = performance.now();
    const due = this.held.filter((command) => this.limitOf(command) <= now);
    this.held = this.held.filter((command) => !due.includes(command));
    for (const { refuse } of due) refuse(notReady('the phone is not connected yet'));
    if (this.held.length === 0) return;
    const next = Math.min(...this.held.map((command) => this.limitOf(command)));
    this.timer = setTimeout(() => this.look(), next - now + 1);
  }

  private limitOf({ since }: HeldCommand): number {
    const { isConnected, linkUpSince } = this.prospects();
    if (isConnected || linkUpSince === null) return since + HOLD_MS;
    return Math.min(since + HOLD_MS, Math.max(since, linkUpSince) + SETTLE_MS);
  }
}

const notReady = (message: string) => new RpcError('notConnected', message);
