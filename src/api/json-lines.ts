import { Readable } from 'node:stream';
import type { Lines } from './implement.ts';

/** https://jsonlines.org: one value a line, UTF-8. */
export const JSON_LINES = 'application/jsonl';

/** A client that takes nothing for this long is given up. */
const STALL_MS = 60_000;

/** Whether a request would rather have lines than the envelope: it names them before it names JSON, if it does that. */
export function wantsLines(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((part) => part.split(';', 1)[0]!.trim().toLowerCase());
  const at = types.indexOf(JSON_LINES);
  const json = types.indexOf('application/json');
  return at !== -1 && (json === -1 || at < json);
}

/** One line an item, read from where they come from as fast as the client takes them. */
export function linesOf({ items }: Lines): Readable {
  const stream: Readable = Readable.from(
    watched(items, () => stream.destroy()),
    { objectMode: false },
  );
  return stream;
}

async function* watched(items: AsyncIterable<unknown>, onStall: () => void): AsyncGenerator<string> {
  for await (const item of items) {
    const stalled = setTimeout(onStall, STALL_MS);
    try {
      yield `${JSON.stringify(item)}\n`;
    } finally {
      clearTimeout(stalled);
    }
  }
}
