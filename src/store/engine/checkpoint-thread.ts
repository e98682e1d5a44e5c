import { Worker } from 'node:worker_threads';

/** Copies the pages of the log into the database file. */
export interface Checkpoints extends AsyncDisposable {
  /**
   * Copies the pages that are in the log now, except those that a reader in another process still needs. To be called
   * once at a time.
   */
  run(): Promise<void>;
}

/** The response of the worker: null, or the message of the error. */
export type CheckpointResult = string | null;

/** The thread that makes checkpoints. It starts with the first one, which short-lived processes never need. */
export class CheckpointThread implements Checkpoints {
  readonly #file: string;
  #worker: Worker | null = null;
  #pending: PromiseWithResolvers<void> | null = null;

  /** @param file the database */
  constructor(file: string) {
    this.#file = file;
  }

  run(): Promise<void> {
    this.#worker ??= this.#start();
    this.#pending = Promise.withResolvers();
    this.#worker.postMessage(null);
    return this.#pending.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: this.#file });
    worker.on('message', (failure: CheckpointResult) => {
      if (failure === null) this.#pending?.resolve();
      else this.#pending?.reject(new Error(failure));
    });
    worker.on('error', (error) => this.#pending?.reject(error));
    worker.on('exit', () => {
      this.#worker = null;
      this.#pending?.reject(new Error('the thread ended'));
    });
    return worker;
  }
}
