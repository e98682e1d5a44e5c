/** Durations in minutes that can be chosen with one click. `USUAL_DURATION` is the default. */
export const DURATION_CHOICES = [5, 15, 30, 60] as const;
export const USUAL_DURATION = 30;

/** Parses typed minutes. Returns null unless the text is a whole number of at least 1. */
export function parseMinutes(typed: string): number | null {
  const value = Number(typed.trim());
  return typed.trim() !== '' && Number.isInteger(value) && value >= 1 ? value : null;
}
