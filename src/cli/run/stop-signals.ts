import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `phonebooth run` was stopped before it started its command. */
export class StoppedError extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.name = 'StoppedError';
    this.signal = signal;
  }
}

export const exitCodeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

/** Handles the signals that would end this process, so that it can end its sessions first. */
export class StopSignals implements Disposable {
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<(signal: NodeJS.Signals) => void>();

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#receive);
  }

  /** Aborted with a StoppedError when the first signal is received. */
  get whenStopped(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Calls the listener with each signal, until the returned function is called. */
  onSignal(listener: (signal: NodeJS.Signals) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  [Symbol.dispose](): void {
    for (const signal of SIGNALS) process.off(signal, this.#receive);
  }

  readonly #receive = (signal: NodeJS.Signals): void => {
    this.#stopping.abort(new StoppedError(signal));
    for (const listener of [...this.#listeners]) listener(signal);
  };
}
