import { RpcError } from './json-rpc.ts';

/** The longest time that a command is held. */
const HOLD_MS = 2_000;
/**
 * Time after its link is up within which a streaming phone reports that it is ready. A command is not held longer
 * unless the session is connected.
 */
const SETTLE_MS = 250;
/** Maximum number of one client's commands that are held at once; the next constant bounds their bytes. */
const MAX_HELD = 64;
const MAX_HELD_BYTES = 256 * 1024;

/** The known state of a phone that is not ready. */
export interface PhoneProspects {
  /** The session's row says `connected`, so the phone is streaming. */
  isConnected: boolean;
  /**
   * When the link to the phone came up, on the monotonic clock. Null: it is down, and it is unknown whether the phone
   * is streaming.
   */
  linkUpSince: number | null;
}

interface HeldCommand {
  since: number;
  bytes: number;
  go: () => void;
  refuse: (error: RpcError) => void;
}

/**
 * Commands that arrive before the gateway knows that the phone is ready. A client that sees the first picture may
 * send a command before the ready message has reached the gateway; such commands are held in order. A command for a
 * phone that is not streaming yet is rejected with -32003.
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

  /**
   * Resolves when the phone is ready.
   * @throws RpcError -32003 when the phone is not ready in time or too many commands are held
   */
  hold(bytes: number): Promise<void> {
    const heldBytes = this.held.reduce((sum, command) => sum + command.bytes, 0);
    if (this.held.length >= MAX_HELD || heldBytes + bytes > MAX_HELD_BYTES)
      throw notReady('too many commands wait for the phone to be ready');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.held.push({ since: performance.now(), bytes, go: resolve, refuse: reject });
    this.look();
    return promise;
  }

  /** Lets all held commands proceed, because the phone is ready. */
  release(): void {
    clearTimeout(this.timer);
    for (const { go } of this.held.splice(0)) go();
  }

  /** Rejects all held commands, because their client no longer controls the phone. */
  drop(why: string): void {
    clearTimeout(this.timer);
    for (const { refuse } of this.held.splice(0)) refuse(notReady(why));
  }

  /** Rejects the commands whose time is over. Called when the known state of the phone has changed. */
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
