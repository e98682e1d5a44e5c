/** Returns the UTC calendar month of a moment as `YYYY-MM`, the period of a quota. `at` is in Unix milliseconds. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** The month after `YYYY-MM`. */
export function monthAfter(month: string): string {
  return monthOf(startOfNextMonth(month));
}

/** When the month `YYYY-MM` ends and its quota resets, ISO 8601. */
export function resetsAt(month: string): string {
  return new Date(startOfNextMonth(month)).toISOString();
}

/** When the month `YYYY-MM` begins, in Unix milliseconds. */
export function startOfMonth(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}

/** When the month `YYYY-MM` ends, in Unix milliseconds. */
export function startOfNextMonth(month: string): number {
  const begins = new Date(startOfMonth(month));
  return begins.setUTCMonth(begins.getUTCMonth() + 1);
}
