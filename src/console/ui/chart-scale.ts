/** Maximum number of lines above zero. */
const LINES = 4;
/** Share of its slot that a bar fills. */
const FILLED = 0.72;

/** Returns the values at which a chart has lines: whole numbers in round steps, the last of which is `top`. */
export function scaleOf(highest: number): { top: number; ticks: number[] } {
  const step = roundUp(Math.max(highest, 1) / LINES);
  const count = Math.max(1, Math.ceil(highest / step));
  return { top: step * count, ticks: Array.from({ length: count + 1 }, (_, n) => n * step) };
}

/** Rounds up to 1, 2 or 5 times a power of ten, and at least to 1. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

/**
 * Returns an SVG path for each series, in a box that is as wide as there are bars and 1 high. The series of a bar are
 * stacked from the bottom.
 */
export function barPaths(bars: readonly (readonly number[])[], top: number): string[] {
  const series = bars[0]?.length ?? 0;
  const paths: string[] = Array.from({ length: series }, () => '');
  for (const [index, bar] of bars.entries()) {
    let below = 0;
    for (const [at, value] of bar.entries()) {
      if (value > 0) {
        const y = rounded(1 - (below + value) / top);
        paths[at] +=
          `M${rounded(index + (1 - FILLED) / 2)} ${y}h${FILLED}v${rounded(value / top)}h-${FILLED}z`;
      }
      below += value;
    }
  }
  return paths;
}

const rounded = (value: number) => Number(value.toFixed(4));
