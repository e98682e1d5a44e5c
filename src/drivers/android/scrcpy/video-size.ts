import { SEQUENCE_PARAMETER_SET } from '../../../contract/sockets/h264-config.ts';
import { type BitReader, nalUnits, readProfile, unitsOfType } from '../../../media/h264.ts';
import { checkedSize, type VideoSize } from '../../../media/video-size.ts';

/**
 * The size of the frames that follow a config packet. scrcpy 3.3.3 sends the size once, at the beginning; after a
 * rotation only the sequence parameter set contains it. Source: ITU-T H.264, 7.3.2.1.1 and 7.4.2.1.1 (syntax and
 * semantics).
 * @throws RangeError when the packet contains no SPS, or a malformed one.
 */
export function videoSize(config: Uint8Array): VideoSize {
  const [unit] = unitsOfType(nalUnits(config), SEQUENCE_PARAMETER_SET);
  if (!unit) throw new RangeError('the config packet does not contain an SPS');
  const { high, bits } = readProfile(unit);
  if (high) skipTransform(bits, high.chroma);
  const chroma = high ? high.chroma : 1;
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
  return checkedSize({
    width: widthInMbs * 16 - unitX * (left + right),
    height: (2 - framesOnly) * mapUnits * 16 - unitY * (top + bottom),
  });
}

function skipTransform(bits: BitReader, chroma: number): void {
  bits.bits(1); // qpprime_y_zero_transform_bypass_flag
  if (!bits.bits(1)) return;
  for (let list = 0; list < (chroma === 3 ? 12 : 8); list++) if (bits.bits(1)) skipScalingList(bits, list);
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
