import { Type } from 'typebox';
import { CONDITION_PATTERN_WORDS } from '../sockets/conditions.ts';
import { MAX_NAME_LENGTH } from './text-limits.ts';

/**
 * One line of text with at least one visible character. It excludes control characters and those that change the text
 * direction (U+202A to U+202E, U+2066 to U+2069), with which a name can imitate another one.
 */
const ONE_LINE = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$';

/** A UTC calendar month, or an empty string for none. */
export const MONTH = '^(\\d{4}-(0[1-9]|1[0-2]))?$';

/** An ISO 8601 date and time with a UTC offset, or an empty string for none. */
export const TIME = '^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d))?$';

/** A URL or a deep link that a phone opens. */
export const URL_WITH_SCHEME = '^[a-z][a-z0-9+.-]*:';
export const URL_WITH_SCHEME_WORDS = 'a URL with its scheme in lower case, such as https://example.com';

/** The descriptions of the patterns in error messages. */
export const PATTERN_WORDS: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(CONDITION_PATTERN_WORDS).map(([pattern, words]) => [pattern, `: ${words}`]),
  ),
  [ONE_LINE]: ' on one line, without control characters',
  [MONTH]: ' in the format 2026-11',
  [URL_WITH_SCHEME]: `: ${URL_WITH_SCHEME_WORDS}`,
  [TIME]: ' in the format 2026-11-21T10:00:00Z',
};

/** Text that a person enters: a name, a note, a reason. */
export const oneLine = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: ONE_LINE, description });

/** A name that a person has chosen. */
export const name = (description: string) => oneLine(MAX_NAME_LENGTH, description);

export const isName = (text: string): boolean =>
  [...text].length <= MAX_NAME_LENGTH && new RegExp(ONE_LINE, 'u').test(text);
export const NAME_WORDS = `1 to ${MAX_NAME_LENGTH} characters${PATTERN_WORDS[ONE_LINE]}`;
