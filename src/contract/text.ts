import { Type } from 'typebox';

/**
 * Text in one line with something to see in it. Neither control characters nor those that turn the direction of what
 * follows (U+202A to U+202E, U+2066 to U+2069): they make a name look like another one.
 */
const ONE_LINE = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$';

/** A UTC calendar month, or empty for none. */
export const MONTH = '^(\\d{4}-(0[1-9]|1[0-2]))?$';

/** A moment by ISO 8601, with its distance from UTC, or empty for none. */
export const TIME = '^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d))?$';

/** What a pattern asks for, in words. */
export const PATTERN_WORDS: Record<string, string> = {
  [ONE_LINE]: ' in one line, without control characters',
  [MONTH]: ' such as 2026-11',
  [TIME]: ' such as 2026-11-21T10:00:00Z',
};

/** What a person writes about something: a name, a note, a reason. */
export const oneLine = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: ONE_LINE, description });

/** Something that a person named. */
export const name = (description: string) => oneLine(100, description);
