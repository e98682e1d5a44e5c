/** Where a key leads from one phone of the list; null when it leads nowhere. */
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
