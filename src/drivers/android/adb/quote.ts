/**
 * Words for the phone's shell, quoted so that each arrives as it is. adb hands a command line to `sh -c`, whatever
 * the client had as separate arguments.
 */
export function shellLine(...words: (string | number)[]): string {
  return words.map((word) => quote(String(word))).join(' ');
}

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

function quote(word: string): string {
  if (word.includes('\0')) throw new RangeError('a word for the shell cannot hold a zero byte');
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
