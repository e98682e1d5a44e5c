/** How many letters may differ in a name that was misspelt, for each letter of it. */
const ERROR_RATE = 1 / 4;

/**
 * Returns the names that a misspelt one may stand for: those with the fewest different letters, or those that contain
 * all of its words, or no others. Words are separated by `_`.
 */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  const most = Math.max(1, Math.floor(wanted.length * ERROR_RATE));
  const distances = names.map((name) => distance(wanted, name));
  const least = Math.min(...distances);
  if (least <= most) return names.filter((_, index) => distances[index] === least);
  return names.filter((name) => hasWordsOf(name, wanted) || hasWordsOf(wanted, name));
}

function hasWordsOf(name: string, other: string): boolean {
  const words = name.split('_');
  return other.split('_').every((word) => words.includes(word));
}

/**
 * Number of letters to insert, delete or replace, or neighbours to exchange, to make one text the other.
 * https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance, "optimal string alignment distance"
 */
function distance(a: string, b: string): number {
  let [older, old]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      const isExchanged = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      next[column] = Math.min(
        old![column]! + 1,
        next[column - 1]! + 1,
        old![column - 1]! + cost,
        isExchanged ? (older![column - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [older, old] = [old, next];
  }
  return old!.at(-1)!;
}
