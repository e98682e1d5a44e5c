/** The UTC calendar month of a moment, `YYYY-MM`: what quotas are counted in. `at` is in Unix milliseconds. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** The month after `YYYY-MM`. */
export function monthAfter(month: string): string {
  return monthOf(startOfNextMonth(month));
}

/** When the month `YYYY-MM` is over and its quota comes back, ISO 8601. */
export function resetsAt(month: string): string {
  return new Date(startOfNextMonth(month)).toISOString();
}

/** When the month `YYYY-MM` begins, in Unix milliseconds. */
export function startOfMonth(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}

/** When the month `YYYY-MM` is over, in Unix milliseconds. */
export function startOfNextMonth(month: string): number {
  const begins = new Date(startOfMonth(month));
  return begins.setUTCMonth(begins.getUTCMonth() + 1);
}
