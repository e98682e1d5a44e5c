import { fileURLToPath } from 'node:url';
import { GlobalFonts } from '@napi-rs/canvas';

/**
 * The package splits Inter by script. There is one font family for each file, so that a character missing in one is
 * looked up in the next.
 */
const SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'];
const WEIGHTS = [400, 500, 600] as const;
export type FontWeight = (typeof WEIGHTS)[number] | 300;

const family = (script: string) => `Inter ${script}`;
/** The machine's own fonts come last. They may contain characters that Inter lacks, such as CJK or emoji. */
const FAMILIES = [...SCRIPTS.map((script) => `"${family(script)}"`), 'sans-serif'].join(', ');

/**
 * Registers Inter with the canvas. The font table belongs to the process and not to the thread, so later calls find
 * it filled.
 * @throws Error when a font file cannot be read.
 */
export function registerFonts(): void {
  for (const script of SCRIPTS) {
    if (GlobalFonts.has(family(script))) continue;
    const weights = script === 'latin' ? [300, ...WEIGHTS] : WEIGHTS;
    for (const weight of weights) {
      const file = import.meta.resolve(`@fontsource/inter/files/inter-${script}-${weight}-normal.woff2`);
      if (GlobalFonts.registerFromPath(fileURLToPath(file), family(script)) === null) {
        throw new Error(`cannot register the font ${file}`);
      }
    }
  }
}

/** The value of a canvas's `font` property; `size` is in the canvas's units. */
export function fontOf(size: number, weight: FontWeight): string {
  return `${weight} ${size}px ${FAMILIES}`;
}
