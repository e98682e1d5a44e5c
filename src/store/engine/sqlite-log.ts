import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { startDeadline, TimeoutError, withDeadline } from '../../util/deadline.ts';
import type { Log } from '../../util/log.ts';
import { StoreUnavailableError } from '../store.ts';
import { type Checkpoints, CheckpointThread } from './checkpoint-thread.ts';

export interface SqliteLogOptions {
  /** Writes what the kernel holds of a file to the disk. */
  sync(descriptor: number): Promise<void>;
  /** Opens the checkpoints of a database file. */
  openCheckpoints(file: string): Checkpoints;
  /**
   * Size of the log, in pages of 4 KiB, from which its pages are copied into the database file. A larger log needs
   * fewer checkpoints, and takes longer to read when the database is opened after a crash.
   */
  checkpointPages: number;
  /** A disk that takes longer has failed, or is so slow that clients get an error instead of waiting. */
  timeoutMs: number;
}

const DEFAULTS: SqliteLogOptions = {
  sync: promisify(fdatasync),
  openCheckpoints: (file) => new CheckpointThread(file),
  checkpointPages: 4_096,
  timeoutMs: 10_000,
};

const TOO_SLOW = 'the disk of the database did not respond';

/**
 * The write-ahead log of a SQLite database (https://www.sqlite.org/wal.html) whose connection neither syncs the log at
 * a commit (`synchronous = NORMAL`) nor makes checkpoints. Here, both happen outside the event loop: syncs in Node's
 * thread pool, and checkpoints, which also copy pages, in a worker thread.
 */
export class SqliteLog implements AsyncDisposable {
  readonly #descriptor: number;
  readonly #checkpoints: Checkpoints;
  readonly #onChange: () => void;
  readonly #logger: Log;
  readonly #options: SqliteLogOptions;
  #syncing: Promise<void> | null = null;
  #nextSync: Promise<void> | null = null;
  #checkpointing: Promise<void> | null = null;
  #size = 0;
  #checkpointAt: number;
  #isHeld = false;
  #isClosed = false;
  #stall: Error | null = null;
  #syncFailure: Error | null = null;

  /**
   * @param file the database. A connection to it is open and has read something, so the log exists.
   * @param onChange called when `isHeld` or `failure` has changed
   */
  constructor(file: string, onChange: () => void, logger: Log, options: Partial<SqliteLogOptions> = {}) {
    this.#logger = logger;
    this.#options = { ...DEFAULTS, ...options };
    this.#checkpointAt = this.#options.checkpointPages;
    // SQLite has no POSIX locks on the log; they would be lost when this descriptor is closed
    this.#descriptor = openSync(`${file}-wal`, 'r+');
    this.#checkpoints = this.#options.openCheckpoints(file);
    this.#onChange = onChange;
  }

  /** Whether new transactions have to wait, because the last pages of the log are being copied. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * Why the database is unavailable, or null. A failed sync is final: the kernel may have dropped the pages that it
   * could not write, so a later sync would succeed without them (https://wiki.postgresql.org/wiki/Fsync_Errors). After a
   * restart, SQLite reads what the disk has kept.
   */
  get failure(): Error | null {
    return this.#syncFailure ?? this.#stall;
  }

  /**
   * Resolves when everything that was committed before this call is on the disk. Calls during a sync share the next one.
   * @throws StoreUnavailableError
   */
  sync(): Promise<void> {
    this.#nextSync ??= this.#syncing?.then(() => this.#startSync()) ?? null;
    return this.#inTime(this.#nextSync ?? this.#startSync());
  }

  /**
   * Resolves when everything that was committed before this call is on the disk, if `sync` was called for it.
   * @throws StoreUnavailableError
   */
  async synced(): Promise<void> {
    const pending = this.#nextSync ?? this.#syncing;
    if (pending) await this.#inTime(pending);
  }

  /** To be called after each commit, with the number of pages in the log. */
  setSize(pages: number): void {
    const { checkpointPages } = this.#options;
    const hasStartedAgain = pages < this.#size;
    if (hasStartedAgain) this.#checkpointAt = checkpointPages;
    this.#size = pages;
    if (pages < this.#checkpointAt || this.#checkpointing) return;
    // If the checkpoint fails, or another process still reads from the log, the next one is made when it has grown
    this.#checkpointAt = pages + checkpointPages;
    this.#checkpointing = this.#checkpoint()
      .catch((err: unknown) => {
        if (!this.#isClosed) this.#logger.warn({ err, pages }, 'checkpoint of the embedded store failed');
      })
      .finally(() => {
        this.#checkpointing = null;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#checkpoints[Symbol.asyncDispose]();
    await this.#checkpointing;
    await (this.#nextSync ?? this.#syncing)?.catch(() => {});
    await promisify(close)(this.#descriptor);
  }

  async #inTime(sync: Promise<void>): Promise<void> {
    try {
      await withDeadline(sync, this.#options.timeoutMs, TOO_SLOW);
    } catch (error) {
      throw new StoreUnavailableError(error);
    }
  }

  #startSync(): Promise<void> {
    this.#nextSync = null;
    this.#syncing = this.#options.sync(this.#descriptor).then(
      () => {
        this.#syncing = null;
      },
      (error: Error) => {
        this.#syncFailure = new Error(
          `the database log could not be written; restart the service: ${error.message}`,
        );
        this.#onChange();
        throw error;
      },
    );
    return this.#syncing;
  }

  /**
   * SQLite starts the log again from its beginning if all of its pages have been copied when a transaction begins.
   * Transactions go on while most of them are copied, and are held while the last ones are.
   */
  async #checkpoint(): Promise<void> {
    await this.#checkpoints.run();
    this.#isHeld = true;
    const { timeoutMs } = this.#options;
    const stop = startDeadline(timeoutMs, () => {
      this.#stall = new TimeoutError(`timed out after ${timeoutMs / 1000} s: ${TOO_SLOW}`);
      this.#onChange();
    });
    try {
      await this.#checkpoints.run();
    } finally {
      stop();
      this.#isHeld = false;
      this.#stall = null;
      this.#onChange();
    }
  }
}
