/** Minutes that are one click away, and the one that is chosen until another is. */
export const DURATION_CHOICES = [5, 15, 30, 60] as const;
export const USUAL_DURATION = 30;

/** Minutes from what was typed; null when it is not a whole number of 1 or more. */
export function parseMinutes(typed: string): number | null {
  const value = Number(typed.trim());
  return typed.trim() !== '' && Number.isInteger(value) && value >= 1 ? value : null;
}
