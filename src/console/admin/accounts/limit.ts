/** The largest that the service takes; more is no limit. */
const MOST = 1_000_000_000;

/** A limit as it was typed: nothing is none (null), and undefined is what makes no sense. */
export function limitFrom(typed: string): number | null | undefined {
  const digits = typed.replaceAll(/[\s,]/g, '');
  if (digits === '') return null;
  if (!/^\d+$/.test(digits)) return undefined;
  const value = Number(digits);
  return value <= MOST ? value : undefined;
}
