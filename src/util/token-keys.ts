import { isSocketToken, type SocketClaim, type SocketLease, socketToken } from './socket-token.ts';

/** Reads the keys that are valid now, the newest first. */
export type ReadTokenKeys = () => Promise<readonly Uint8Array[]>;

export interface TokenKeysOptions {
  /** How soon a new key signs here. */
  everyMs?: number;
  /** A token of no known key has them read anew at most this often: whoever tries tokens must not read for a living. */
  atMostEveryMs?: number;
}

/**
 * The keys of the tokens in sockets' addresses. The newest signs; the one before it is taken as well, so that addresses which were
 * handed out go on. Several processes have them, and learn of a new one at the latest when a token of it comes.
 */
export class TokenKeys implements Disposable {
  private keys: readonly Uint8Array[];
  private readonly read: ReadTokenKeys | null;
  private readonly atMostEveryMs: number;
  private readonly timer: NodeJS.Timeout | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | null = null;

  private constructor(
    keys: readonly Uint8Array[],
    read: ReadTokenKeys | null,
    { everyMs = 5_000, atMostEveryMs = 1_000 }: TokenKeysOptions = {},
  ) {
    this.keys = keys;
    this.read = read;
    this.atMostEveryMs = atMostEveryMs;
    if (read) this.timer = setInterval(() => void this.look(), everyMs).unref();
  }

  /** Keys that do not change. */
  static of(...keys: Uint8Array[]): TokenKeys {
    return new TokenKeys(keys, null);
  }

  static async open(read: ReadTokenKeys, options?: TokenKeysOptions): Promise<TokenKeys> {
    return new TokenKeys(await read(), read, options);
  }

  sign(claim: SocketClaim): string {
    return socketToken(this.keys[0]!, claim);
  }

  /** Whether the token was signed with a valid key for this lease and the grant that it names. */
  async verify(token: string, lease: SocketLease): Promise<boolean> {
    const isKnown = () => this.keys.some((key) => isSocketToken(token, key, lease));
    if (isKnown()) return true;
    if (!this.read || performance.now() - this.lookedAt < this.atMostEveryMs) {
      await this.looking;
      return isKnown();
    }
    await this.look();
    return isKnown();
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
  }

  /** A store that cannot be read now leaves the keys as they are. */
  private look(): Promise<void> {
    this.lookedAt = performance.now();
    this.looking ??= this.read!()
      .then(
        (keys) => {
          this.keys = keys;
        },
        () => {},
      )
      .finally(() => {
        this.looking = null;
      });
    return this.looking;
  }
}
