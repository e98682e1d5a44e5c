/** Durations in minutes that can be chosen with one click. `USUAL_DURATION` is the default. */
export const DURATION_CHOICES = [5, 15, 30, 60] as const;
export const USUAL_DURATION = 30;

/** Parses typed minutes. Returns null unless the text is a whole number from 1 to `most`. */
export function parseMinutes(typed: string, most = Number.POSITIVE_INFINITY): number | null {
  const value = Number(typed.trim());
  return typed.trim() !== '' && Number.isInteger(value) && value >= 1 && value <= most ? value : null;
}

/** Returns the duration that a dialog offers first: the usual one, or the longest choice that is possible. */
export function firstDuration(usual: number, most: number): number {
  if (usual <= most) return usual;
  return DURATION_CHOICES.findLast((choice) => choice <= most) ?? Math.max(1, most);
}
