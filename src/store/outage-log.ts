import type { Log } from '../util/log.ts';
import type { Engine } from './engine/engine.ts';
import { StoreUnavailableError } from './store.ts';

/**
 * A lasting outage is logged again at this interval, with the number of transactions that failed in between.
 */
const REPEAT_MS = 60_000;

/**
 * Logs an outage of the database once, however many transactions fail. Callers of the store must not log it again;
 * see `logUnlessOutage`.
 */
export function withOutageLog(engine: Engine, log: Log, now = () => performance.now()): Engine {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let failed = 0;
  const note = (error: unknown): never => {
    if (error instanceof StoreUnavailableError) {
      failed += 1;
      if (now() - loggedAt >= REPEAT_MS) {
        log.error({ reason: error.reason, failedTransactions: failed, err: error.cause }, error.message);
        loggedAt = now();
        failed = 0;
      }
    }
    throw error;
  };
  return {
    dialect: engine.dialect,
    get waiting() {
      return engine.waiting;
    },
    run: (query) => engine.run(query).catch(note),
    transact: (body) => engine.transact(body).catch(note),
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
