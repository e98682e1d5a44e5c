import { isSocketToken, type SocketClaim, type SocketLease, socketToken } from './socket-token.ts';

/** Reads the keys that are valid now, newest first. */
export type ReadTokenKeys = () => Promise<readonly Uint8Array[]>;

export interface TokenKeysOptions {
  /** Interval at which the keys are read, and so the longest delay until a new key is used to sign here. */
  everyMs?: number;
  /**
   * Minimum interval between two reads that a token with an unknown key triggers, so that guessed tokens cannot
   * overload the store.
   */
  atMostEveryMs?: number;
}

/**
 * The keys that sign the tokens in socket addresses. The newest key signs. The previous one is still accepted, so
 * that addresses which were already issued remain valid. Several processes share the keys, and read them again at the
 * latest when a token with an unknown key arrives.
 */
export class TokenKeys implements Disposable {
  private keys: readonly Uint8Array[];
  private readonly read: ReadTokenKeys | null;
  private readonly atMostEveryMs: number;
  private readonly timer: NodeJS.Timeout | undefined;
  private refreshedAt = Number.NEGATIVE_INFINITY;
  private refreshing: Promise<void> | null = null;

  private constructor(
    keys: readonly Uint8Array[],
    read: ReadTokenKeys | null,
    { everyMs = 5_000, atMostEveryMs = 1_000 }: TokenKeysOptions = {},
  ) {
    this.keys = keys;
    this.read = read;
    this.atMostEveryMs = atMostEveryMs;
    if (read) this.timer = setInterval(() => void this.refresh(), everyMs).unref();
  }

  /** Returns an instance whose keys do not change. */
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
    if (!this.read || performance.now() - this.refreshedAt < this.atMostEveryMs) {
      await this.refreshing;
      return isKnown();
    }
    await this.refresh();
    return isKnown();
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
  }

  /** Reads the keys. When the store cannot be read, the current keys remain in use. */
  private refresh(): Promise<void> {
    this.refreshedAt = performance.now();
    this.refreshing ??= this.read!()
      .then(
        (keys) => {
          this.keys = keys;
        },
        () => {},
      )
      .finally(() => {
        this.refreshing = null;
      });
    return this.refreshing;
  }
}
