import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LITERAL = /'([^'\\\n]{1,40})'|"([^"\\\n]{1,40})"|\b(0x[\da-f_]+|\d[\d_]*)\b/gi;
const LARGEST = 0xffffffff;

/**
 * Extracts the number and string literals of these scripts, as bytes. The scripts compare their input with many of
 * them.
 */
export function wordsOf(urls: Iterable<string>): Buffer[] {
  const words = new Map<string, Buffer>();
  for (const url of urls) {
    const text = readFileSync(fileURLToPath(url), 'utf8');
    for (const [, single, double, digits] of text.matchAll(LITERAL)) {
      const found = digits === undefined ? [Buffer.from((single ?? double)!)] : numbers(digits);
      for (const word of found) words.set(word.toString('latin1'), word);
    }
  }
  return [...words.values()];
}

/** Encodes a number in each width that can hold it, in both byte orders. */
function numbers(digits: string): Buffer[] {
  const value = Number(digits.replaceAll('_', ''));
  if (!Number.isInteger(value) || value > LARGEST) return [];
  const widths = [1, 2, 4].filter((width) => value < 2 ** (8 * width));
  return widths.flatMap((width) => {
    const bytes = Buffer.alloc(width);
    bytes.writeUIntLE(value, 0, width);
    return [bytes, Buffer.from(bytes).reverse()];
  });
}
