import { loadavg } from 'node:os';

/** Returns the value below which this share (0 to 1) of the values lies, or NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Formats a number with a precision that fits its size and with thousands separators. */
export function show(value: number, unit = ''): string {
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = Number.isNaN(value)
    ? '-'
    : value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return unit ? `${text} ${unit}` : text;
}

/** Prints rows under their headings: the first column left-aligned, the figures right-aligned. */
export function printTable(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [heads, ...rows]) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
    );
    console.log(`  ${cells.join('   ')}`.trimEnd());
  }
}

/** Prints the title, and the load average if the machine is busy, which makes every figure worse. */
export function printTitle(title: string): void {
  console.log(`\n${title}`);
  const [load] = loadavg();
  if (load! > 0.5) console.log(`(the machine was busy before: load average ${load!.toFixed(1)})`);
}

/** Prints one target and whether it was reached. */
export function printVerdict(aim: string, reached: boolean): void {
  console.log(`${reached ? 'reached' : 'MISSED '}  ${aim}`);
}

/** `--quick` runs fewer and shorter cases, to check that the bench works. Its figures are not meaningful. */
export const QUICK = process.argv.includes('--quick');

/** The fastest run, which was disturbed least. */
export function quickest<T extends { perSecond: number }>(runs: readonly T[]): T {
  return runs.reduce((best, run) => (run.perSecond > best.perSecond ? run : best));
}
