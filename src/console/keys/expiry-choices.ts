import { keyTexts as text } from '../texts/keys.ts';

/** Below this limit, the limit itself is offered as well, so that there is always a choice. */
const LONGEST_CHOICE = Math.max(...text.expiryChoices.map(([days]) => Number(days)));

/**
 * The lifetimes to offer for a new key, as the number of days and its text. An empty number stands for no expiry.
 * @param maxDays the longest lifetime that the service accepts, at least 1; null: unlimited
 */
export function expiryChoices(maxDays: number | null): (readonly [days: string, text: string])[] {
  if (maxDays === null) return [...text.expiryChoices];
  const choices: (readonly [string, string])[] = text.expiryChoices.filter(
    ([days]) => days !== '' && Number(days) <= maxDays,
  );
  const isOffered = choices.some(([days]) => Number(days) === maxDays);
  if (isOffered || maxDays > LONGEST_CHOICE) return choices;
  return [...choices, [String(maxDays), text.expiryDays(maxDays)]];
}
