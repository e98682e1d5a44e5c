import { MAX_LIMIT } from '../../../contract/http/account.ts';

/** Number of bytes that the service's limits count as one megabyte. */
export const MIB = 1024 * 1024;

/** Rounds up, so that a size below 1 MB does not look like zero. */
export const inMegabytes = (bytes: number) => Math.ceil(bytes / MIB);

/** Parses a limit as it was typed. Returns null (no limit) for empty text and undefined for invalid text. */
export function limitFrom(typed: string): number | null | undefined {
  const digits = typed.replaceAll(/[\s,]/g, '');
  if (digits === '') return null;
  if (!/^\d+$/.test(digits)) return undefined;
  const value = Number(digits);
  return value <= MAX_LIMIT ? value : undefined;
}
