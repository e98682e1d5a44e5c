import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { GlobalFonts } from '@napi-rs/canvas';

/**
 * The fonts for characters that Inter lacks, in the order in which they are searched, with the part of each that is
 * used. Each is split into files with some of the characters, and each file has all weights. Han characters have their
 * Japanese form where both have one.
 */
const FONTS = [
  ['noto-sans-hebrew', /^hebrew$/],
  ['noto-sans-arabic', /^arabic$/],
  ['noto-emoji', /^\d+$/],
  ['noto-sans-jp', /^\d+$/],
  ['noto-sans-sc', /^\d+$/],
] as const;
/** Most texts have no character after the scripts that Inter covers. The first one is Hebrew. */
const FOREIGN = /[\u0590-\u{10ffff}]/gu;
/** Number of characters whose fonts are remembered. When it is exceeded, all are searched again. */
const MAX_KNOWN = 4096;

interface Subset {
  /** The font family under which the file is registered. */
  readonly family: string;
  /** Module specifier of the file. */
  readonly file: string;
  /** Pairs of the first and the last code point of each range. */
  readonly ranges: readonly (readonly [number, number])[];
}

let tables: { readonly inter: Subset['ranges']; readonly subsets: readonly Subset[] } | null = null;
const known = new Map<string, Subset | null>();

/**
 * Returns the font families that a text needs besides Inter, and registers them if no text has needed them yet. A file
 * takes a few milliseconds and some 50 kB.
 * @throws Error when a font file cannot be read.
 */
export function familiesFor(text: string): string[] {
  const found = new Set<Subset>();
  for (const [character] of text.matchAll(FOREIGN)) {
    let subset = known.get(character);
    if (subset === undefined) {
      subset = subsetOf(character);
      if (subset) register(subset);
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(character, subset);
    }
    if (subset) found.add(subset);
  }
  return [...found].map(({ family }) => family);
}

function subsetOf(character: string): Subset | null {
  const code = character.codePointAt(0) ?? 0;
  tables ??= { inter: Object.values(rangesIn('@fontsource/inter')).flat(), subsets: readSubsets() };
  if (includes(tables.inter, code)) return null;
  return tables.subsets.find(({ ranges }) => includes(ranges, code)) ?? null;
}

const includes = (ranges: Subset['ranges'], code: number) =>
  ranges.some(([first, last]) => code >= first && code <= last);

/** The font table belongs to the process, and another phone's thread may have loaded the file. */
function register({ family, file }: Subset): void {
  if (GlobalFonts.has(family)) return;
  const path = fileURLToPath(import.meta.resolve(file));
  if (GlobalFonts.registerFromPath(path, family) === null)
    throw new Error(`cannot register the font ${path}`);
}

function readSubsets(): Subset[] {
  return FONTS.flatMap(([font, used]) => {
    const name = `@fontsource-variable/${font}`;
    return Object.entries(rangesIn(name)).flatMap(([key, ranges]) => {
      // The numbered files have keys such as `[12]`.
      const part = key.replaceAll(/[[\]]/g, '');
      const file = `${name}/files/${font}-${part}-wght-normal.woff2`;
      return used.test(part) ? [{ family: `${font} ${part}`, file, ranges }] : [];
    });
  });
}

/** Reads which characters each file of a package contains, such as `U+590-5FF,U+25CC`. */
function rangesIn(packageName: string): Record<string, [number, number][]> {
  const path = fileURLToPath(import.meta.resolve(`${packageName}/unicode.json`));
  const files = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
  const rangeOf = (text: string): [number, number] => {
    const [first = '', last = first] = text.trim().replace('U+', '').split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
  };
  return Object.fromEntries(
    Object.entries(files).map(([key, ranges]) => [key, ranges.split(',').map(rangeOf)]),
  );
}
