import type { MacroblockSamples } from './macroblock-samples.ts';

/**
 * ITU-R BT.601 from 8-bit R'G'B' to limited range: 219 steps of luma from 16, 224 of chroma around 128, with 16
 * fractional bits. Kr = 0.299 and Kb = 0.114. Each row sums exactly (to 219 * 2^16 / 255, or to 0), so grey keeps
 * neutral chroma.
 */
const FRACTION_BITS = 16;
const Y_RED = 16829;
const Y_GREEN = 33039;
const Y_BLUE = 6416;
const CB_RED = -9714;
const CB_GREEN = -19070;
const CB_BLUE = 28784;
const CR_RED = 28784;
const CR_GREEN = -24103;
const CR_BLUE = -4681;
const Y_OFFSET = (16 << FRACTION_BITS) + (1 << (FRACTION_BITS - 1));
/** Chroma is computed from the sum of four pixels, which adds two bits. */
const CHROMA_SHIFT = FRACTION_BITS + 2;
const CHROMA_OFFSET = (128 << CHROMA_SHIFT) + (1 << (CHROMA_SHIFT - 1));

/**
 * Converts the macroblock at (mbX, mbY) of an RGBA image given as little-endian words. Beyond an edge that is not at
 * a multiple of 16, the image's last two rows or columns are repeated; a decoder crops them away.
 */
export function convertMacroblock(
  words: Int32Array,
  width: number,
  height: number,
  mbX: number,
  mbY: number,
  to: MacroblockSamples,
): void {
  const { luma, cb, cr } = to;
  let chromaIndex = 0;
  for (let y = 0; y < 16; y += 2) {
    const row = Math.min(mbY * 16 + y, height - 2) * width;
    for (let x = 0; x < 16; x += 2) {
      const topLeft = row + Math.min(mbX * 16 + x, width - 2);
      const word0 = words[topLeft];
      const word1 = words[topLeft + 1];
      const word2 = words[topLeft + width];
      const word3 = words[topLeft + width + 1];
      const at = y * 16 + x;
      luma[at] = lumaOf(word0!);
      luma[at + 1] = lumaOf(word1!);
      luma[at + 16] = lumaOf(word2!);
      luma[at + 17] = lumaOf(word3!);
      const red = (word0! & 255) + (word1! & 255) + (word2! & 255) + (word3! & 255);
      const green =
        ((word0! >> 8) & 255) + ((word1! >> 8) & 255) + ((word2! >> 8) & 255) + ((word3! >> 8) & 255);
      const blue =
        ((word0! >> 16) & 255) + ((word1! >> 16) & 255) + ((word2! >> 16) & 255) + ((word3! >> 16) & 255);
      cb[chromaIndex] = (CB_RED * red + CB_GREEN * green + CB_BLUE * blue + CHROMA_OFFSET) >> CHROMA_SHIFT;
      cr[chromaIndex] = (CR_RED * red + CR_GREEN * green + CR_BLUE * blue + CHROMA_OFFSET) >> CHROMA_SHIFT;
      chromaIndex++;
    }
  }
}

function lumaOf(word: number): number {
  const red = word & 255;
  const green = (word >> 8) & 255;
  const blue = (word >> 16) & 255;
  return (Y_RED * red + Y_GREEN * green + Y_BLUE * blue + Y_OFFSET) >> FRACTION_BITS;
}
