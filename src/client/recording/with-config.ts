/** A keyframe in Annex B with its parameter sets before it, so that it can be decoded by itself. */
export function withConfig(config: Uint8Array, keyframe: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(config.length + keyframe.length);
  bytes.set(config);
  bytes.set(keyframe, config.length);
  return bytes;
}
