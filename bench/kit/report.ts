import { loadavg } from 'node:os';

/** The value below which this share of the values lies, 0 to 1. NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A number with as many decimals as its size deserves, and thousands apart. */
export function show(value: number, unit = ''): string {
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = Number.isNaN(value)
    ? '-'
    : value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return unit ? `${text} ${unit}` : text;
}

/** Prints rows under their heads: the first column to the left, figures to the right. */
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

/** Says what is measured, and what else the machine does: a busy one makes every figure worse. */
export function printTitle(title: string): void {
  console.log(`\n${title}`);
  const [load] = loadavg();
  if (load! > 0.5) console.log(`(the machine was busy before: load average ${load!.toFixed(1)})`);
}

/** One aim, and whether it was reached. */
export function printVerdict(aim: string, reached: boolean): void {
  console.log(`${reached ? 'reached' : 'MISSED '}  ${aim}`);
}

/** `--quick`: fewer cases and shorter ones, to see that the bench works; no figures to quote. */
export const QUICK = process.argv.includes('--quick');

/** The one of several runs that was least disturbed. */
export function quickest<T extends { perSecond: number }>(runs: readonly T[]): T {
  return runs.reduce((best, run) => (run.perSecond > best.perSecond ? run : best));
}
