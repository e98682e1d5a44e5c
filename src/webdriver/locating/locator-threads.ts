import { Worker } from 'node:worker_threads';
import { startDeadline } from '../../util/deadline.ts';
import { WebDriverError } from '../protocol/errors.ts';
import type { LocatorJob, LocatorMessage } from './locator-worker.ts';

/** Expressions of different accounts run side by side, so that a slow one delays only those of its own account. */
const MAX_THREADS = 2;
/** Maximum number of searches that wait, of one account and of all. */
const MAX_WAITING_PER_ACCOUNT = 50;
const MAX_WAITING = 500;
/** A real expression takes a few milliseconds. */
const TIMEOUT_MS = 5_000;
/** Starting a thread takes a tenth of a second, and far longer on a machine that is starved of processor time. */
const START_MS = 60_000;
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

interface Waiting {
  accountId: string;
  job: LocatorJob;
  settle: PromiseWithResolvers<number[]>;
}

/**
 * Evaluates the expressions of clients in threads. XPath and regular expressions can be made to run for hours, which
 * only another thread can end.
 */
export class LocatorThreads implements AsyncDisposable {
  private readonly waiting: Waiting[] = [];
  private readonly idle: Worker[] = [];
  private readonly running = new Map<Waiting, Worker>();
  private isClosed = false;

  /** @throws WebDriverError `invalid selector`, or `timeout` when the evaluation takes too long */
  locate(accountId: string, job: LocatorJob): Promise<number[]> {
    const own = this.waiting.filter((one) => one.accountId === accountId).length;
    if (this.isClosed || own >= MAX_WAITING_PER_ACCOUNT || this.waiting.length >= MAX_WAITING)
      throw new WebDriverError('unknown error', 'too many searches are waiting; try again shortly', {
        headers: { 'retry-after': '1' },
      });
    const settle = Promise.withResolvers<number[]>();
    this.waiting.push({ accountId, job, settle });
    this.startNext();
    return settle.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
    const closed = new WebDriverError('unknown error', 'the service is stopping; try again');
    for (const { settle } of this.waiting.splice(0)) settle.reject(closed);
    for (const { settle } of this.running.keys()) settle.reject(closed);
    await Promise.all([...this.idle, ...this.running.values()].map((worker) => worker.terminate()));
  }

  /** One search of an account runs at a time. */
  private startNext(): void {
    if (this.isClosed || this.running.size >= MAX_THREADS) return;
    const busy = new Set([...this.running.keys()].map(({ accountId }) => accountId));
    const at = this.waiting.findIndex(({ accountId }) => !busy.has(accountId));
    if (at === -1) return;
    const [next] = this.waiting.splice(at, 1);
    this.run(next!);
  }

  private run(waiting: Waiting): void {
    const ready = this.idle.pop();
    const worker = ready ?? newWorker();
    worker.ref();
    this.running.set(waiting, worker);
    const { settle } = waiting;
    const finish = (isIntact: boolean) => {
      stopDeadline();
      worker.off('message', onMessage).off('error', onError);
      this.running.delete(waiting);
      if (isIntact && !this.isClosed) {
        worker.unref();
        this.idle.push(worker);
      } else void worker.terminate();
      this.startNext();
    };
    const onLate = () => {
      settle.reject(
        new WebDriverError('timeout', `the expression was not evaluated within ${TIMEOUT_MS / 1000} s`),
      );
      finish(false);
    };
    let stopDeadline = startDeadline(ready ? TIMEOUT_MS : START_MS, onLate);
    const onMessage = (result: LocatorMessage) => {
      if (result === 'ready') {
        stopDeadline();
        stopDeadline = startDeadline(TIMEOUT_MS, onLate);
        worker.postMessage(waiting.job);
        return;
      }
      if ('indexes' in result) settle.resolve(result.indexes);
      else
        settle.reject(new WebDriverError('invalid selector', `the selector is invalid: ${result.invalid}`));
      finish(true);
    };
    const onError = () => {
      settle.reject(new WebDriverError('invalid selector', 'the selector needs too much memory'));
      finish(false);
    };
    worker.on('message', onMessage).on('error', onError);
    if (ready) worker.postMessage(waiting.job);
  }
}

function newWorker(): Worker {
  const worker = new Worker(new URL('./locator-worker.ts', import.meta.url), { resourceLimits: LIMITS });
  // The error of a thread that is idle or being stopped must not end the process.
  return worker.on('error', () => {});
}
