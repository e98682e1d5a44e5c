/** Returns the index of the phone that a key moves the focus to, or null if the key does not move it. */
export function indexAfter(
  key: string,
  from: number,
  { count, columns }: { count: number; columns: number },
): number | null {
  const steps: Record<string, number> = {
    ArrowRight: from + 1,
    ArrowLeft: from - 1,
    ArrowDown: from + columns,
    ArrowUp: from - columns,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined || to < 0 || to >= count ? null : to;
}
