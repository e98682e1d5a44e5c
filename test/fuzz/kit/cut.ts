import { isDeepStrictEqual } from 'node:util';

/** What came of a stream: what was read of it, and the message of the refusal that it ended with. */
interface Outcome<T> {
  read: T[];
  refused: string | null;
}

/**
 * Has the bytes read in one piece, each by itself, and cut at places that follow from the bytes: a stream is the same
 * however the network cuts it. Each time a new reader is asked for, which throws one of `refusals` where it gives up.
 * @throws Error when they differ
 */
export function readHoweverCut<T>(
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
    throw new Error(`in pieces of ${sizes}: ${show(cut)}\nin one piece: ${show(whole)}`);
  }
  return whole;
}

function* pieces(bytes: Buffer, sizes: number[]): Generator<Buffer> {
  for (let at = 0, count = 0; at < bytes.length; count += 1) {
    const end = at + sizes[count % sizes.length]!;
    // A copy: what is read of it may not lean on the bytes beside it.
    yield Buffer.from(bytes.subarray(at, end));
    at = end;
  }
}

const show = (outcome: Outcome<unknown>) =>
  JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)).slice(0, 1_000);
