/**
 * Code that parses bytes from an untrusted source. `run` throws if the code misbehaves, and catches the errors that
 * it may throw for invalid bytes.
 */
export interface Target {
  /** Valid inputs, from which the first mutated inputs are created. */
  seeds(): Iterable<Uint8Array>;
  /** Runs one input. It must be deterministic, because the same input can be run again. */
  run(input: Buffer): void | Promise<void>;
  /** Maximum size of an input. Without it, DEFAULT_MAX_BYTES applies. */
  maxBytes?: number;
  /** CPU time that one input may take, in ms. Without it, DEFAULT_MAX_MS applies. */
  maxMs?: number;
  /**
   * Parts of the URLs of modules outside `src` whose coverage also counts, such as packages that parse the bytes for
   * Phonebooth.
   */
  covers?: string[];
}

export const DEFAULT_MAX_BYTES = 4096;
/** The largest `maxBytes` that a target may request. */
export const LARGEST_MAX_BYTES = 64 * 1024;
export const DEFAULT_MAX_MS = 1_000;

/**
 * Runs code that may reject its input with one of these errors, and returns null if it does. Any other error is a
 * finding.
 */
export function unlessRefused<T>(
  refusals: (abstract new (...args: never) => Error)[],
  run: () => T,
): T | null {
  try {
    return run();
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return null;
    throw error;
  }
}
