import { fileURLToPath } from 'node:url';
import { GlobalFonts } from '@napi-rs/canvas';

/** The package cuts Inter by script; a family per cut, so that each character is looked up in the next. */
const SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'];
const WEIGHTS = [400, 500, 600] as const;
export type FontWeight = (typeof WEIGHTS)[number] | 300;

const family = (script: string) => `Inter ${script}`;
/** Whatever fonts the machine has come last: they may hold what Inter does not, such as CJK or emoji. */
const FAMILIES = [...SCRIPTS.map((script) => `"${family(script)}"`), 'sans-serif'].join(', ');

/**
 * Makes Inter known to the canvas. The table of fonts is the process's, not the thread's: later calls find it filled.
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

/** The value for a canvas's `font`; `size` in its units. */
export function fontOf(size: number, weight: FontWeight): string {
  return `${weight} ${size}px ${FAMILIES}`;
}
