/** Classes of the lines of a log, by level. Others have the colour of text. */
export const LOG_TONES: Readonly<Record<string, string>> = {
  V: 'text-soft',
  D: 'text-soft',
  W: 'text-warn',
  E: 'text-bad',
  F: 'text-bad font-semibold',
};
