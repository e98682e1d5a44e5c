import { Readable } from 'node:stream';
import type { Lines } from './responses.ts';

/** https://jsonlines.org: one value per line, UTF-8. */
export const JSON_LINES = 'application/jsonl';

/** A client that reads nothing for this long is disconnected. */
const STALL_MS = 60_000;

/**
 * Whether the `Accept` header prefers JSON lines to the envelope: it lists JSON lines, and before JSON if it lists
 * both.
 */
export function wantsLines(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((part) => part.split(';', 1)[0]!.trim().toLowerCase());
  const at = types.indexOf(JSON_LINES);
  const json = types.indexOf('application/json');
  return at !== -1 && (json === -1 || at < json);
}

/** Serializes one item per line. Items are read from their source only as fast as the client reads. */
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
