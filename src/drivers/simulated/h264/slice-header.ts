import type { BitWriter } from './bit-writer.ts';
import { FRAME_NUM_BITS } from './parameter-sets.ts';

/** slice_type, Table 7-6: values 5 to 9 state that every slice of the picture has this type. */
const SLICE_TYPE_P = 5;
const SLICE_TYPE_I = 7;
const DEBLOCKING_OFF = 1;

export interface SliceHeader {
  readonly idr: boolean;
  readonly frameNum: number;
  /** Used for an IDR picture only. */
  readonly idrPicId: number;
}

/** slice_header() of the one slice of a picture (clause 7.3.3). */
export function writeSliceHeader(out: BitWriter, { idr, frameNum, idrPicId }: SliceHeader): void {
  out.unsignedExpGolomb(0); // first_mb_in_slice
  out.unsignedExpGolomb(idr ? SLICE_TYPE_I : SLICE_TYPE_P);
  out.unsignedExpGolomb(0); // pic_parameter_set_id
  out.bits(frameNum, FRAME_NUM_BITS);
  if (idr) out.unsignedExpGolomb(idrPicId);
  if (!idr) {
    out.flag(false); // num_ref_idx_active_override_flag
    out.flag(false); // ref_pic_list_modification_flag_l0
  }
  if (idr) {
    out.flag(false); // no_output_of_prior_pics_flag
    out.flag(false); // long_term_reference_flag
  } else {
    out.flag(false); // adaptive_ref_pic_marking_mode_flag
  }
  out.signedExpGolomb(0); // slice_qp_delta
  // The deblocking filter blurs glyph edges, and areas copied from the previous frame would be filtered again each
  // time.
  out.unsignedExpGolomb(DEBLOCKING_OFF);
}
