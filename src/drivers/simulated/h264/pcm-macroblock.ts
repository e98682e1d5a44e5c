import type { MacroblockSamples } from './macroblock-samples.ts';
import { INTRA_TYPES_IN_P_SLICE, MB_TYPE_I_PCM } from './macroblock-type.ts';
import type { PictureState } from './picture-state.ts';

/**
 * Number of bits of an I_PCM macroblock's samples. A macroblock that would need more bits is sent as I_PCM, which
 * keeps every macroblock within the 3200 bits of clause A.3.1.
 */
export const PCM_BITS = 384 * 8;

/** TotalCoeff that the neighbours of an I_PCM macroblock assume for its blocks (clause 9.2.1). */
const PCM_TOTAL_COEFF = 16;

/** Writes a macroblock's samples uncompressed, and stores them in the reconstruction. */
export function codePcm(
  state: PictureState,
  source: MacroblockSamples,
  mbX: number,
  mbY: number,
  idr: boolean,
): void {
  const { out } = state;
  out.unsignedExpGolomb(MB_TYPE_I_PCM + (idr ? 0 : INTRA_TYPES_IN_P_SLICE));
  out.alignWithZeros();
  for (const samples of [source.luma, source.cb, source.cr]) {
    for (let i = 0; i < samples.length; i++) out.bits(samples[i]!, 8);
  }
  source.copyTo(state.reconstruction, mbX, mbY);
  for (let y = 0; y < 4; y++) {
    for (let x = 0; x < 4; x++) state.lumaCounts.set(mbX * 4 + x, mbY * 4 + y, PCM_TOTAL_COEFF);
  }
  for (let y = 0; y < 2; y++) {
    for (let x = 0; x < 2; x++) {
      state.cbCounts.set(mbX * 2 + x, mbY * 2 + y, PCM_TOTAL_COEFF);
      state.crCounts.set(mbX * 2 + x, mbY * 2 + y, PCM_TOTAL_COEFF);
    }
  }
}
