/** Whether this is the nightly run (`npm run test:nightly`), which takes hours where `npm test` takes seconds. */
export const isNightly = process.env.PHONEBOOTH_TEST_NIGHTLY === '1';

const PATIENCE_MS = 60_000;

/**
 * Returns the limit in ms to assert for a time limit that the product promises. The nightly run asserts the promise
 * itself. `npm test` allows at least a minute, because it must pass on machines that are busy or pause for some
 * seconds.
 */
export const promised = (limitMs: number): number => (isNightly ? limitMs : Math.max(limitMs, PATIENCE_MS));
