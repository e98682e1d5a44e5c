import { fileURLToPath } from 'node:url';
import { GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas';
import { familiesFor } from './script-fonts.ts';

/**
 * The package splits Inter by script. There is one font family for each file, so that a character missing in one is
 * looked up in the next.
 */
const SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'];
const WEIGHTS = [400, 500, 600] as const;
export type FontWeight = (typeof WEIGHTS)[number] | 300;

const family = (script: string) => `Inter ${script}`;
const INTER = SCRIPTS.map((script) => `"${family(script)}"`).join(', ');

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

/**
 * Sets the font in which a text is drawn or measured. The machine's own fonts come last: they may contain characters
 * that the others lack.
 * @param size in the canvas's units
 */
export function setFont(ctx: SKRSContext2D, text: string, size: number, weight: FontWeight): void {
  const others = familiesFor(text).map((name) => `, "${name}"`);
  ctx.font = `${weight} ${size}px ${INTER}${others.join('')}, sans-serif`;
  // Inter has a file for each weight. Each of the other files has all of them.
  ctx.fontVariationSettings = others.length > 0 ? `"wght" ${weight}` : 'normal';
}
