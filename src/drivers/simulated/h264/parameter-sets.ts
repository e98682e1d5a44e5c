import { PICTURE_PARAMETER_SET, SEQUENCE_PARAMETER_SET } from '../../../contract/sockets/h264-config.ts';
import { BitWriter } from './bit-writer.ts';
import type { Level } from './level.ts';
import { annexBNalUnit } from './nal-unit.ts';

const PROFILE_IDC_BASELINE = 66;
/**
 * constraint_set0_flag and constraint_set1_flag. Together with profile_idc 66 they denote the Constrained Baseline
 * profile (clause A.2.1.1).
 */
const CONSTRAINT_FLAGS = 0b1100_0000;

/** Bits of frame_num: log2_max_frame_num_minus4 + 4. */
export const FRAME_NUM_BITS = 8;

/** ISO/IEC 23091-2 code points. The screen is sRGB; `colour.ts` produces samples in BT.601 limited range. */
const COLOUR_PRIMARIES_BT709 = 1;
const TRANSFER_SRGB = 13;
const MATRIX_BT601 = 6;
const VIDEO_FORMAT_UNSPECIFIED = 5;
/** A chroma sample is the mean of a 2x2 square, so its location is the centre of the square (Figure E-1). */
const CHROMA_LOCATION_CENTRE = 1;
/** log2_max_mv_length_horizontal. This encoder only produces vertical motion vectors. */
const LOG2_MAX_HORIZONTAL_MOTION = 0;

export interface StreamFormat {
  readonly width: number;
  readonly height: number;
  readonly widthInMacroblocks: number;
  readonly heightInMacroblocks: number;
  readonly level: Level;
  readonly qp: number;
}

/** seq_parameter_set_rbsp() (clause 7.3.2.1). */
export function sequenceParameterSet(format: StreamFormat): Uint8Array {
  const out = new BitWriter();
  out.bits(PROFILE_IDC_BASELINE, 8);
  out.bits(CONSTRAINT_FLAGS, 8);
  out.bits(format.level.idc, 8);
  out.unsignedExpGolomb(0); // seq_parameter_set_id
  out.unsignedExpGolomb(FRAME_NUM_BITS - 4);
  out.unsignedExpGolomb(2); // pic_order_cnt_type: output order is decoding order
  out.unsignedExpGolomb(1); // max_num_ref_frames
  out.flag(false); // gaps_in_frame_num_value_allowed_flag
  out.unsignedExpGolomb(format.widthInMacroblocks - 1);
  out.unsignedExpGolomb(format.heightInMacroblocks - 1);
  out.flag(true); // frame_mbs_only_flag
  out.flag(true); // direct_8x8_inference_flag
  writeCropping(out, format);
  out.flag(true); // vui_parameters_present_flag
  writeVui(out, format.level);
  out.trailingBits();
  return annexBNalUnit(SEQUENCE_PARAMETER_SET, out.bytes);
}

/** Frame cropping counts chroma samples, which in 4:2:0 requires even sizes (clause 7.4.2.1.1). */
function writeCropping(out: BitWriter, format: StreamFormat): void {
  const right = (format.widthInMacroblocks * 16 - format.width) / 2;
  const bottom = (format.heightInMacroblocks * 16 - format.height) / 2;
  const cropped = right > 0 || bottom > 0;
  out.flag(cropped);
  if (!cropped) return;
  out.unsignedExpGolomb(0); // left
  out.unsignedExpGolomb(right);
  out.unsignedExpGolomb(0); // top
  out.unsignedExpGolomb(bottom);
}

/** vui_parameters() (clause E.1.1). */
function writeVui(out: BitWriter, level: Level): void {
  out.flag(false); // aspect_ratio_info_present_flag
  out.flag(false); // overscan_info_present_flag
  out.flag(true); // video_signal_type_present_flag
  out.bits(VIDEO_FORMAT_UNSPECIFIED, 3);
  out.flag(false); // video_full_range_flag
  out.flag(true); // colour_description_present_flag
  out.bits(COLOUR_PRIMARIES_BT709, 8);
  out.bits(TRANSFER_SRGB, 8);
  out.bits(MATRIX_BT601, 8);
  out.flag(true); // chroma_loc_info_present_flag
  out.unsignedExpGolomb(CHROMA_LOCATION_CENTRE); // top field
  out.unsignedExpGolomb(CHROMA_LOCATION_CENTRE); // bottom field
  out.flag(false); // timing_info_present_flag
  out.flag(false); // nal_hrd_parameters_present_flag
  out.flag(false); // vcl_hrd_parameters_present_flag
  out.flag(false); // pic_struct_present_flag
  writeBitstreamRestriction(out, level);
}

/**
 * Without this structure a decoder may hold back frames to reorder them. max_num_reorder_frames 0 avoids that
 * latency.
 */
function writeBitstreamRestriction(out: BitWriter, level: Level): void {
  out.flag(true); // bitstream_restriction_flag
  out.flag(true); // motion_vectors_over_pic_boundaries_flag
  out.unsignedExpGolomb(0); // max_bytes_per_pic_denom: no limit stated
  out.unsignedExpGolomb(0); // max_bits_per_mb_denom: no limit stated
  out.unsignedExpGolomb(LOG2_MAX_HORIZONTAL_MOTION);
  out.unsignedExpGolomb(Math.log2(level.maxVerticalMotion * 4)); // in quarter samples
  out.unsignedExpGolomb(0); // max_num_reorder_frames
  out.unsignedExpGolomb(1); // max_dec_frame_buffering
}

/** pic_parameter_set_rbsp() (clause 7.3.2.2). */
export function pictureParameterSet(format: StreamFormat): Uint8Array {
  const out = new BitWriter();
  out.unsignedExpGolomb(0); // pic_parameter_set_id
  out.unsignedExpGolomb(0); // seq_parameter_set_id
  out.flag(false); // entropy_coding_mode_flag: CAVLC
  out.flag(false); // bottom_field_pic_order_in_frame_present_flag
  out.unsignedExpGolomb(0); // num_slice_groups_minus1
  out.unsignedExpGolomb(0); // num_ref_idx_l0_default_active_minus1
  out.unsignedExpGolomb(0); // num_ref_idx_l1_default_active_minus1
  out.flag(false); // weighted_pred_flag
  out.bits(0, 2); // weighted_bipred_idc
  out.signedExpGolomb(format.qp - 26); // pic_init_qp_minus26
  out.signedExpGolomb(0); // pic_init_qs_minus26
  out.signedExpGolomb(0); // chroma_qp_index_offset
  out.flag(true); // deblocking_filter_control_present_flag
  out.flag(false); // constrained_intra_pred_flag
  out.flag(false); // redundant_pic_cnt_present_flag
  out.trailingBits();
  return annexBNalUnit(PICTURE_PARAMETER_SET, out.bytes);
}
