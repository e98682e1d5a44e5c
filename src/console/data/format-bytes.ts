const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats a size in decimal units (powers of 1000): `812 B`, `4.2 MB`, `120 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // A value of 999.5 or more would be rounded to 1000 in its unit.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
