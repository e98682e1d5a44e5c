/** Control characters, line and paragraph separators, and bidirectional formatting characters (Unicode TR 9, section 2). */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/**
 * Makes untrusted text safe to store and display. The result is one line of well-formed text without characters that
 * change its visual order, at most `maxLength` UTF-16 units long.
 */
export function oneLine(text: string, maxLength: number): string {
  const shown = text.toWellFormed().replaceAll(UNSAFE, ' ').trim();
  // The cut may leave half of a surrogate pair at the end.
  return shown.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}
