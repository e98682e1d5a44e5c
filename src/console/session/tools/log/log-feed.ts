import type { ControlNotifications } from '../../../../contract/sockets/control-notifications.ts';

export type LogLine = ControlNotifications['log.line'] & {
  /** Counts up from 0 over the whole feed. */
  readonly number: number;
};

/** Maximum number of lines kept. The oldest are dropped. */
export const MAX_LINES = 5_000;
/** Excess lines are dropped in blocks of this many, instead of one at a time. */
const SLACK = 500;

/** The newest lines of a phone's log. */
export class LogFeed {
  readonly #listeners = new Set<() => void>();
  readonly #soon: (run: () => void) => void;
  #lines: LogLine[] = [];
  #shown: readonly LogLine[] = [];
  #count = 0;
  #scheduled = false;

  /** `soon` defers its callback, so that a hundred lines within one display frame cause a single update. */
  constructor(soon: (run: () => void) => void) {
    this.#soon = soon;
  }

  /** Returns at most MAX_LINES lines, oldest first. Returns the same array until something changes. */
  readonly list = (): readonly LogLine[] => this.#shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(line: ControlNotifications['log.line']): void {
    this.#lines.push({ ...line, number: this.#count });
    this.#count += 1;
    if (this.#lines.length >= MAX_LINES + SLACK) this.#lines = this.#lines.slice(-MAX_LINES);
    this.#changed();
  }

  clear(): void {
    this.#lines = [];
    this.#changed();
  }

  #changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#soon(() => {
      this.#scheduled = false;
      this.#shown = this.#lines.slice(-MAX_LINES);
      for (const listener of this.#listeners) listener();
    });
  }
}
