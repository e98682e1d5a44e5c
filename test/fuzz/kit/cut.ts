import { isDeepStrictEqual } from 'node:util';

/** Outcome of reading a stream: what was parsed, and the message of the error that ended it. */
interface Outcome<T> {
  read: T[];
  refused: string | null;
}

/**
 * Reads the bytes in one piece, byte by byte, and in pieces whose sizes derive from the bytes, and asserts that the
 * outcome is the same however the network splits a stream. Each attempt uses a new reader, which throws one of
 * `refusals` to reject its input.
 * @throws Error if the outcomes differ
 */
export function readInChunks<T>(
  bytes: Buffer,
  refusals: (abstract new (...args: never) => Error)[],
  open: () => (piece: Buffer) => Iterable<T>,
): Outcome<T> {
  const outcomeOf = (pieces: Iterable<Buffer>): Outcome<T> => {
    const push = open();
    const read: T[] = [];
    try {
      for (const piece of pieces) for (const one of push(piece)) read.push(one);
    } catch (error) {
      if (!refusals.some((refusal) => error instanceof refusal)) throw error;
      return { read, refused: (error as Error).message };
    }
    return { read, refused: null };
  };
  const whole = outcomeOf([bytes]);
  for (const sizes of [[1], [2, 7, 1, 64], [...bytes.subarray(0, 16)].map((size) => 1 + (size % 32))]) {
    const cut = outcomeOf(pieces(bytes, sizes));
    if (isDeepStrictEqual(whole, cut)) continue;
    throw new Error(`in chunks of ${sizes}: ${show(cut)}\nin one chunk: ${show(whole)}`);
  }
  return whole;
}

function* pieces(bytes: Buffer, sizes: number[]): Generator<Buffer> {
  for (let at = 0, count = 0; at < bytes.length; count += 1) {
    const end = at + sizes[count % sizes.length]!;
    // A copy, so that the reader cannot depend on adjacent bytes.
    yield Buffer.from(bytes.subarray(at, end));
    at = end;
  }
}

const show = (outcome: Outcome<unknown>) =>
  JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)).slice(0, 1_000);
