import {
  BitReader,
  HIGH_PROFILES,
  SEQUENCE_PARAMETER_SET,
  withoutEmulationPrevention,
} from '../../../media/h264.ts';

/**
 * The size of the frames that follow a config packet. scrcpy 3.3.3 sends the size once, at the beginning; after a
 * rotation only the sequence parameter set contains it. Source: ITU-T H.264, 7.3.2.1.1 and 7.4.2.1.1 (syntax and
 * semantics), 7.3.1 (emulation prevention).
 */
export interface VideoSize {
  width: number;
  height: number;
}

/** The largest coordinate in a control message (u16), far larger than any screen. */
const MAX_SIDE = 0xffff;

/** @throws RangeError when the size is not valid for video. */
export function checkedSize(width: number, height: number): VideoSize {
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_SIDE)
    throw new RangeError(`the phone sends video of ${width}x${height}, which is not a valid size`);
  return { width, height };
}

/** @throws RangeError when the packet contains no SPS, or a malformed one. */
export function videoSize(config: Uint8Array): VideoSize {
  const bits = new BitReader(sequenceParameterSet(config));
  const profile = bits.bits(8);
  bits.bits(16); // constraint flags and level
  bits.ue(); // seq_parameter_set_id
  const chroma = HIGH_PROFILES.includes(profile) ? readHighProfile(bits) : 1;
  bits.ue(); // log2_max_frame_num_minus4
  skipPicOrderCount(bits);
  bits.ue(); // max_num_ref_frames
  bits.bits(1); // gaps_in_frame_num_value_allowed_flag
  const widthInMbs = bits.ue() + 1;
  const mapUnits = bits.ue() + 1;
  const framesOnly = bits.bits(1);
  if (!framesOnly) bits.bits(1); // mb_adaptive_frame_field_flag
  bits.bits(1); // direct_8x8_inference_flag
  const crop = bits.bits(1) ? [bits.ue(), bits.ue(), bits.ue(), bits.ue()] : [0, 0, 0, 0];
  const [left, right, top, bottom] = crop as [number, number, number, number];
  const unitX = chroma === 1 || chroma === 2 ? 2 : 1;
  const unitY = (chroma === 1 ? 2 : 1) * (2 - framesOnly);
  return checkedSize(
    widthInMbs * 16 - unitX * (left + right),
    (2 - framesOnly) * mapUnits * 16 - unitY * (top + bottom),
  );
}

/** Returns chroma_format_idc. */
function readHighProfile(bits: BitReader): number {
  const chroma = bits.ue();
  if (chroma === 3) bits.bits(1); // separate_colour_plane_flag
  bits.ue(); // bit_depth_luma_minus8
  bits.ue(); // bit_depth_chroma_minus8
  bits.bits(1); // qpprime_y_zero_transform_bypass_flag
  if (bits.bits(1)) {
    for (let list = 0; list < (chroma === 3 ? 12 : 8); list++) if (bits.bits(1)) skipScalingList(bits, list);
  }
  return chroma;
}

function skipScalingList(bits: BitReader, list: number): void {
  let last = 8;
  let next = 8;
  for (let entry = 0; entry < (list < 6 ? 16 : 64) && next !== 0; entry++) {
    next = (last + bits.se() + 256) % 256;
    last = next === 0 ? last : next;
  }
}

function skipPicOrderCount(bits: BitReader): void {
  const type = bits.ue();
  if (type === 0) bits.ue();
  if (type !== 1) return;
  bits.bits(1);
  bits.se();
  bits.se();
  const cycle = bits.ue();
  if (cycle > 255) throw new RangeError('the SPS is malformed');
  for (let entry = 0; entry < cycle; entry++) bits.se();
}

/** The bytes of the SPS after its header, without emulation prevention bytes. */
function sequenceParameterSet(config: Uint8Array): Uint8Array {
  const bytes = Buffer.from(config.buffer, config.byteOffset, config.byteLength);
  const startCode = Buffer.from([0, 0, 1]);
  for (let at = bytes.indexOf(startCode); at >= 0; at = bytes.indexOf(startCode, at + 3)) {
    if ((bytes[at + 3]! & 0x1f) !== SEQUENCE_PARAMETER_SET) continue;
    const next = bytes.indexOf(startCode, at + 3);
    const unit = bytes.subarray(at + 4, next < 0 ? undefined : next);
    return withoutEmulationPrevention(unit);
  }
  throw new RangeError('the config packet does not contain an SPS');
}
