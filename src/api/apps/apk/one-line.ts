/** Control characters, breaks of lines, and what turns the direction of the text behind it. */
const UNSEEN = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

/**
 * A text of a stranger's as it can be kept and shown: in one line, that reads as it is written, of whole characters
 * and at most so long.
 */
export function oneLine(text: string, maxLength: number): string {
  const shown = text.toWellFormed().replaceAll(UNSEEN, ' ').trim();
  // Half of a pair may be left at the end.
  return shown.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}
