/** Types of NAL units (ITU-T H.264, table 7-1). */
export const SEQUENCE_PARAMETER_SET = 7;
export const PICTURE_PARAMETER_SET = 8;

/** @param header the first byte of the unit */
export const nalUnitType = (header: number): number => header & 0x1f;

const hex = (byte: number) => byte.toString(16).padStart(2, '0');

/**
 * The codec string of RFC 6381 for an H.264 config packet: profile, constraints and level are the three bytes after the
 * header of the sequence parameter set (ITU-T H.264, 7.3.2.1.1).
 * @throws RangeError when the packet has no sequence parameter set.
 */
export function avcCodecString(config: Uint8Array): string {
  for (let at = 0; at + 6 < config.length; at += 1) {
    const startCode = config[at] === 0 && config[at + 1] === 0 && config[at + 2] === 1;
    if (!startCode || nalUnitType(config[at + 3]!) !== SEQUENCE_PARAMETER_SET) continue;
    return `avc1.${hex(config[at + 4]!)}${hex(config[at + 5]!)}${hex(config[at + 6]!)}`;
  }
  throw new RangeError('the config packet has no sequence parameter set');
}

/** Prepends the parameter sets to a keyframe (both Annex B), so that it can be decoded on its own. */
export function withConfig(config: Uint8Array, keyframe: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(config.length + keyframe.length);
  bytes.set(config);
  bytes.set(keyframe, config.length);
  return bytes;
}
