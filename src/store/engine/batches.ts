import type { Log } from '../../util/log.ts';
import { LogThrottle } from '../../util/log-throttle.ts';
import { StoreUnavailableError } from '../store.ts';

/** Work that one statement can do for several requests at once. */
export interface BatchedStatement<Item, Result> {
  /** Does the work of one request. It may wait for rows that other transactions have locked. */
  one(item: Item): Promise<Result>;
  /**
   * Does the work of several requests with one statement, which skips requests whose rows other transactions have locked.
   * Returns a result for each item, in their order; undefined for an item for which the statement changed nothing. `one`
   * then decides it.
   */
  many(items: Item[]): Promise<(Result | undefined)[]>;
}

/** The first item of each key, for a statement that must not find a row twice. */
export function firstOfEach<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}

interface Waiting {
  // biome-ignore lint/suspicious/noExplicitAny: the statement and the item of one entry match; see run()
  statement: BatchedStatement<any, any>;
  group: string;
  item: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  resolve: (result: any) => void;
  reject: (error: unknown) => void;
}

const MAX_ITEMS = 32;
/**
 * Time after which the next batch no longer waits for a running one, which may wait for the database. An item waits at
 * most this long for each batch before its own.
 */
const MAX_WAIT_MS = 10;

/**
 * Combines the work of concurrent requests: while a statement runs, further items of that statement wait, and then share
 * one execution and its commit. An item that does not have to wait runs alone. Items of one group, which change a common
 * row, wait for each other's statements, so that no batch finds a row that another batch of this process has locked.
 */
export class Batches {
  private readonly queue: Waiting[] = [];
  private readonly running = new Set<unknown>();
  private readonly groups = new Set<string>();
  private readonly log: Log;
  private readonly maxWaitMs: number;
  private readonly throttle = new LogThrottle();

  constructor(log: Log, maxWaitMs = MAX_WAIT_MS) {
    this.log = log;
    this.maxWaitMs = maxWaitMs;
  }

  /** Number of items whose statement has not begun. */
  get waiting(): number {
    return this.queue.length;
  }

  run<Item, Result>(statement: BatchedStatement<Item, Result>, group: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.queue.push({ statement, group, item, resolve, reject });
      this.start();
    });
  }

  private start(): void {
    for (let batch = this.take(); batch.length > 0; batch = this.take()) void this.execute(batch);
  }

  /**
   * Removes the items of the next batch from the queue: those of one statement that does not run, whose groups are not in
   * progress. The item that has waited longest determines the statement. An item whose own statement runs keeps later
   * items of its group in the queue. Otherwise they could occupy the group each time that its statement ends.
   */
  private take(): Waiting[] {
    const batch: Waiting[] = [];
    const reserved = new Set<string>();
    let kept = 0;
    for (const one of this.queue) {
      const { statement, group } = one;
      const isRunning = this.running.has(statement);
      const isFree = !isRunning && !this.groups.has(group) && !reserved.has(group);
      if (isFree && batch.length < MAX_ITEMS && statement === (batch[0] ?? one).statement) {
        batch.push(one);
      } else {
        if (isRunning) reserved.add(group);
        this.queue[kept++] = one;
      }
    }
    this.queue.length = kept;
    return batch;
  }

  private async execute(batch: Waiting[]): Promise<void> {
    const done = this.occupy(batch);
    const [first] = batch;
    if (batch.length === 1) return settle(first!).finally(done);
    const items = batch.map(({ item }) => item);
    const results = await first!.statement
      .many(items)
      .catch((error) => this.recover(error, batch))
      .finally(done);
    for (const [at, one] of batch.entries()) {
      const result = results?.[at];
      if (result !== undefined) one.resolve(result);
      else if (results) void settle(one);
    }
  }

  /** Counts the batch as running until the returned function is called, or until its time has passed. */
  private occupy(batch: Waiting[]): () => void {
    this.running.add(batch[0]!.statement);
    for (const { group } of batch) this.groups.add(group);
    const done = () => {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      this.running.delete(batch[0]!.statement);
      for (const { group } of batch) this.groups.delete(group);
      this.start();
    };
    let timer: NodeJS.Timeout | null = setTimeout(done, this.maxWaitMs).unref();
    return done;
  }

  /**
   * Rejects all items if the database is unavailable, because the statement may have been committed. Otherwise nothing
   * was changed, and the items run one by one, so that an item with which the statement fails does not affect others.
   */
  private recover(error: unknown, batch: Waiting[]): undefined[] | null {
    if (error instanceof StoreUnavailableError) {
      for (const { reject } of batch) reject(error);
      return null;
    }
    this.throttle.log('batch', (suppressed) =>
      this.log.warn(
        { err: error, items: batch.length, suppressed },
        'batched statement failed, its items run one by one',
      ),
    );
    return [];
  }
}

const settle = ({ statement, item, resolve, reject }: Waiting): Promise<void> =>
  statement.one(item).then(resolve, reject);
