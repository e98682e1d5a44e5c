/** The run of every night (`npm run test:nightly`) takes hours where `npm test` takes seconds. */
export const isNightly = process.env.PHONEBOOTH_TEST_NIGHTLY === '1';

/** Runs a long test for `minutes` every night, and for `seconds` in `npm test`. Returns milliseconds. */
export const runFor = ({ seconds, minutes }: { seconds: number; minutes: number }): number =>
  (isNightly ? minutes * 60 : seconds) * 1_000;

const PATIENCE_MS = 60_000;

/**
 * A time limit that the product promises. The nightly run asserts it; `npm test` allows at least a minute, because it has
 * to pass on machines that are busy or stand still for some seconds.
 */
export const promised = (limitMs: number): number => (isNightly ? limitMs : Math.max(limitMs, PATIENCE_MS));
