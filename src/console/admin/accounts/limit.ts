/** Largest limit that the service accepts. */
const MOST = 1_000_000_000;

/** Parses a limit as it was typed. Returns null (no limit) for empty text and undefined for invalid text. */
export function limitFrom(typed: string): number | null | undefined {
  const digits = typed.replaceAll(/[\s,]/g, '');
  if (digits === '') return null;
  if (!/^\d+$/.test(digits)) return undefined;
  const value = Number(digits);
  return value <= MOST ? value : undefined;
}
