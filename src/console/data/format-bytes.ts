const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size as shops give it, in powers of 1000: `812 B`, `4.2 MB`, `120 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // From 999.5 on it would be rounded to 1000 of its unit.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
