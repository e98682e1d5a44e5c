export interface Psnr {
  readonly luma: number;
  readonly chroma: number;
}

/** BT.601 limited range in floating point, chroma as the mean of 2x2 pixels: the reference for `colour.ts`. */
export function toI420(rgba: Uint8Array, width: number, height: number): Float64Array {
  const output = new Float64Array((width * height * 3) / 2);
  const luma = output.subarray(0, width * height);
  const cb = output.subarray(luma.length, luma.length * 1.25).fill(128);
  const cr = output.subarray(luma.length * 1.25).fill(128);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const [red, green, blue] = [rgba[at]! / 255, rgba[at + 1]! / 255, rgba[at + 2]! / 255];
      const brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
      const chromaAt = (y >> 1) * (width / 2) + (x >> 1);
      luma[y * width + x] = 16 + 219 * brightness;
      cb[chromaAt]! += (224 / 4) * ((blue - brightness) / 1.772);
      cr[chromaAt]! += (224 / 4) * ((red - brightness) / 1.402);
    }
  }
  return output;
}

/** Peak signal-to-noise ratio in dB of decoded I420 relative to the RGBA source. */
export function psnr(rgba: Uint8Array, decoded: Uint8Array, width: number, height: number): Psnr {
  const reference = toI420(rgba, width, height);
  const between = (start: number, end: number) => {
    let sum = 0;
    for (let i = start; i < end; i++) sum += (reference[i]! - decoded[i]!) ** 2;
    return 10 * Math.log10((255 * 255 * (end - start)) / Math.max(sum, 1e-9));
  };
  return { luma: between(0, width * height), chroma: between(width * height, reference.length) };
}
