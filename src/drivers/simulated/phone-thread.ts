import { Worker } from 'node:worker_threads';
import type { PhoneModel } from './models.ts';
import type { FromPhone, ToPhone, WorkerData } from './worker-messages.ts';

/** Loading fonts and drawing take well under a second. A machine that needs this long cannot run a phone. */
const START_TIMEOUT_MS = 30_000;
/** A reset takes one turn of the thread's event loop, after the frame that is being drawn. */
const RESET_TIMEOUT_MS = 5_000;

/** One phone's worker thread, from start to end. It is never restarted. */
export class PhoneThread implements AsyncDisposable {
  readonly #worker: Worker;
  #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<{ detail: string }>();
  #listener: (message: FromPhone) => void = () => {};
  #failure: string | null = null;
  #over = false;

  constructor(model: PhoneModel) {
    const workerData: WorkerData = { model };
    this.#worker = new Worker(new URL('./phone-worker.ts', import.meta.url), {
      workerData,
      name: model.code,
    });
    // If the start is aborted and no caller waits for it, the rejection must not count as unhandled.
    this.#ready.promise.catch(() => {});
    const timer = setTimeout(() => {
      this.#failure = `it was not ready within ${START_TIMEOUT_MS / 1000} s`;
      void this.#worker.terminate();
    }, START_TIMEOUT_MS);
    this.#worker.on('message', (message: FromPhone) => {
      if (message.type === 'ready') {
        clearTimeout(timer);
        this.#ready.resolve();
      } else this.#listener(message);
    });
    this.#worker.on('error', (error) => {
      this.#failure = String(error);
    });
    this.#worker.on('exit', (code) => {
      clearTimeout(timer);
      this.#over = true;
      const detail = this.#failure ?? `its thread ended with code ${code}`;
      this.#ready.reject(new Error(detail));
      this.#ended.resolve({ detail });
    });
  }

  /** Resolves when a session can be opened; rejects if the thread ends before. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves when the thread has ended, for whatever reason. */
  get ended(): Promise<{ detail: string }> {
    return this.#ended.promise;
  }

  /** CPU time that the thread has used, in total or since an earlier result. An idle phone uses none. */
  cpuUsage(since?: NodeJS.CpuUsage): Promise<NodeJS.CpuUsage> {
    return this.#worker.cpuUsage(since);
  }

  /** Sets the only listener, for every message except `ready`. */
  onMessage(listener: (message: FromPhone) => void): void {
    this.#listener = listener;
  }

  /**
   * Discards everything that the session left. Resolves when the next session can be opened.
   * @throws Error when the thread does not answer in time; it cannot be used any more.
   */
  async reset(): Promise<void> {
    this.#listener = () => {};
    this.#ready = Promise.withResolvers<void>();
    // The exit handler also rejects this promise.
    if (this.#over) throw new Error('the thread of the simulated phone has ended');
    const timer = setTimeout(
      () =>
        this.#ready.reject(
          new Error(`the simulated phone was not reset within ${RESET_TIMEOUT_MS / 1000} s`),
        ),
      RESET_TIMEOUT_MS,
    );
    this.post({ type: 'reset' });
    await this.#ready.promise.finally(() => clearTimeout(timer));
  }

  post(message: ToPhone): void {
    if (!this.#over) this.#worker.postMessage(message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener = () => {};
    await this.#worker.terminate();
    await this.#ended.promise;
  }
}
