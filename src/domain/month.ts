/** The UTC calendar month of a moment, `YYYY-MM`: what quotas are counted in. `at` is in Unix milliseconds. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** The month after `YYYY-MM`. */
export function monthAfter(month: string): string {
  return monthOf(startOfNext(month));
}

/** When the month `YYYY-MM` is over and its quota comes back, ISO 8601. */
export function resetsAt(month: string): string {
  return new Date(startOfNext(month)).toISOString();
}

function startOfNext(month: string): number {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return Date.UTC(year, number);
}
