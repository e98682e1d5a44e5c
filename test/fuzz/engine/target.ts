/**
 * Something that reads bytes which a stranger sends. `run` throws when it does what it never may; what it may throw at
 * bytes that are wrong, it catches itself.
 */
export interface Target {
  /** Real inputs, which the first others are made of. */
  seeds(): Iterable<Uint8Array>;
  /** May be called with the same input again, and then does the same. */
  run(input: Buffer): void | Promise<void>;
  /** Inputs do not grow beyond it. */
  maxBytes?: number;
  /** CPU time that one input may take; without it DEFAULT_MAX_MS. */
  maxMs?: number;
  /** Parts of the addresses of modules outside `src` whose coverage counts too, such as of packages that read the bytes for us. */
  covers?: string[];
}

export const DEFAULT_MAX_BYTES = 4096;
/** What any target may ask for. */
export const LARGEST_MAX_BYTES = 64 * 1024;
export const DEFAULT_MAX_MS = 1_000;

/** Runs what may refuse its input with one of these errors. Any other is a finding. Null: it did refuse it. */
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
