/** Prepends the parameter sets to a keyframe (both Annex B), so that it can be decoded on its own. */
export function withConfig(config: Uint8Array, keyframe: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(config.length + keyframe.length);
  bytes.set(config);
  bytes.set(keyframe, config.length);
  return bytes;
}
