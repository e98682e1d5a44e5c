import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** Maximum length of a line in characters. A longer one is printed as several lines. */
const MAX_LINE = 8_192;
const PIECES = new RegExp(`.{1,${MAX_LINE}}`, 'gsu');

const piecesOf = (line: string): string[] => line.match(PIECES) ?? [''];

/** One stream to which several commands print. */
export class SharedOutput {
  readonly #stream: Writable;
  #drained: Promise<unknown> | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** Resolves when the stream accepts more. @throws Error when the stream can no longer be written to */
  async write(text: string): Promise<void> {
    if (this.#stream.destroyed || this.#stream.errored) throw new Error('the output is closed');
    if (this.#stream.write(text)) return;
    this.#drained ??= once(this.#stream, 'drain').finally(() => {
      this.#drained = null;
    });
    await this.#drained;
  }
}

/** Copies a stream line by line, with a prefix before each line. @throws Error when either stream fails */
export async function copyLines(from: Readable, prefix: string, to: SharedOutput): Promise<void> {
  let rest = '';
  for await (const text of from.setEncoding('utf8')) {
    const lines = `${rest}${text}`.split('\n');
    const unfinished = piecesOf(lines.pop()!);
    rest = unfinished.pop()!;
    const complete = [...lines.map((line) => line.replace(/\r$/, '')).flatMap(piecesOf), ...unfinished];
    if (complete.length > 0) await to.write(complete.map((line) => `${prefix}${line}\n`).join(''));
  }
  if (rest !== '') await to.write(`${prefix}${rest}\n`);
}
