import { withDeadline } from '../util/deadline.ts';

export interface GrantWatchOptions {
  /** Returns those of the grants that are valid now. */
  readValid(grantIds: string[]): Promise<string[]>;
  /** Called once when the grants cannot be read, and again only after a read has succeeded. */
  onError(error: unknown): void;
  /** How often all watched grants are read, in one query. */
  pollMs?: number;
  storeTimeoutMs?: number;
}

/**
 * Watches the grants (API keys and watch links) that long-lived connections of this process depend on, and reports each
 * that is no longer valid. It reads the store and depends on no message, so that a revocation reaches every process even
 * when the bus is down: after at most one interval, the time of the query, and the time it takes to close the connection.
 */
export class GrantWatch implements Disposable {
  private readonly options: Required<GrantWatchOptions>;
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly timer: NodeJS.Timeout;
  private reading = false;
  private isStoreUnavailable = false;

  constructor(options: GrantWatchOptions) {
    this.options = { pollMs: 1_000, storeTimeoutMs: 2_000, ...options };
    this.timer = setInterval(() => void this.read(), this.options.pollMs);
  }

  /**
   * Calls `onInvalid` once when the grant is no longer valid, unless `unwatch` is called before. Each connection needs a
   * separate function.
   */
  watch(grantId: string, onInvalid: () => void): void {
    const listeners = this.listeners.get(grantId);
    if (listeners) listeners.add(onInvalid);
    else this.listeners.set(grantId, new Set([onInvalid]));
  }

  unwatch(grantId: string, onInvalid: () => void): void {
    const listeners = this.listeners.get(grantId);
    listeners?.delete(onInvalid);
    if (listeners?.size === 0) this.listeners.delete(grantId);
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
    this.listeners.clear();
  }

  /** When the store cannot be read, connections stay open and the next poll retries. */
  private async read(): Promise<void> {
    const grantIds = [...this.listeners.keys()];
    if (this.reading || grantIds.length === 0) return;
    this.reading = true;
    const { readValid, storeTimeoutMs, onError } = this.options;
    try {
      const valid = new Set(
        await withDeadline(readValid(grantIds), storeTimeoutMs, 'the database did not answer'),
      );
      this.isStoreUnavailable = false;
      for (const grantId of grantIds) if (!valid.has(grantId)) this.end(grantId);
    } catch (error) {
      if (!this.isStoreUnavailable) onError(error);
      this.isStoreUnavailable = true;
    } finally {
      this.reading = false;
    }
  }

  private end(grantId: string): void {
    const listeners = this.listeners.get(grantId);
    this.listeners.delete(grantId);
    for (const onInvalid of listeners ?? []) onInvalid();
  }
}
