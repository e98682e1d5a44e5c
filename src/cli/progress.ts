import type { WriteStream } from 'node:tty';

const PROGRESS_WIDTH = 30;

/** A progress bar on a terminal. It prints nothing when the output is not a terminal. */
export class Progress {
  readonly #out: Pick<WriteStream, 'isTTY' | 'write'>;

  constructor(out: Pick<WriteStream, 'isTTY' | 'write'>) {
    this.#out = out;
  }

  /** `share` is the fraction that is done, 0 to 1, or null when it is unknown. */
  show(what: string, share: number | null): void {
    if (!this.#out.isTTY) return;
    const filled = Math.round((share ?? 0) * PROGRESS_WIDTH);
    const percent = share === null ? '' : ` ${Math.round(share * 100)} %`;
    this.#out.write(
      `\r\u001b[K${what.padEnd(12)} ${'█'.repeat(filled).padEnd(PROGRESS_WIDTH, '░')}${percent}`,
    );
  }

  done(): void {
    if (this.#out.isTTY) this.#out.write('\r\u001b[K');
  }
}
