import type { Log } from '../util/log.ts';
import type { Engine } from './engine/engine.ts';
import { StoreUnavailableError } from './store.ts';

/**
 * A lasting outage is logged again at this interval, with the number of transactions that failed in between.
 */
const REPEAT_MS = 60_000;
/**
 * An outage has ended when a transaction succeeds this long after the last one that failed. While the database is
 * read-only or overloaded, some transactions succeed between those that fail.
 */
const QUIET_MS = 5_000;

/**
 * Logs an outage of the database once, however many transactions fail, and its end. Callers of the store must not log
 * it again; see `logUnlessOutage`.
 */
export function withOutageLog(engine: Engine, log: Log, now = () => performance.now()): Engine {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let failed = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  /** Whether the current outage has been logged. */
  let isLogged = false;
  const succeed = <T>(result: T): T => {
    if (isLogged && now() - failedAt >= QUIET_MS) {
      // A warning like its start, so that both are logged at the same level.
      log.warn({ failedTransactions: failed }, 'the store is available again');
      isLogged = false;
      failed = 0;
    }
    return result;
  };
  const note = (error: unknown): never => {
    if (error instanceof StoreUnavailableError) {
      failed += 1;
      failedAt = now();
      if (now() - loggedAt >= REPEAT_MS) {
        log.error({ reason: error.reason, failedTransactions: failed, err: error.cause }, error.message);
        loggedAt = now();
        isLogged = true;
        failed = 0;
      }
    }
    throw error;
  };
  return {
    dialect: engine.dialect,
    batches: engine.batches,
    get waiting() {
      return engine.waiting;
    },
    run: (query) => engine.run(query).then(succeed, note),
    transact: (body) => engine.transact(body).then(succeed, note),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** Logs an error unless it is an outage of the store, which the store itself logs. */
export function logUnlessOutage(
  log: Log,
  level: 'warn' | 'error',
  fields: { err: unknown } & Record<string, unknown>,
  message: string,
): void {
  log[fields.err instanceof StoreUnavailableError ? 'debug' : level](fields, message);
}
