/**
 * Quotes words for the phone's shell, so that each arrives unchanged. adb passes a command line to `sh -c`, even if
 * the client had separate arguments.
 */
export function shellLine(...words: (string | number)[]): string {
  return words.map((word) => quote(String(word))).join(' ');
}

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

function quote(word: string): string {
  if (word.includes('\0')) throw new RangeError('a shell argument must not contain a NUL character');
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
