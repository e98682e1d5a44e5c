import type { Page } from 'playwright-core';

export interface EncodedChunk {
  key: boolean;
  /** Microseconds. */
  timestamp: number;
  /** An Annex B access unit, the parameter sets before a keyframe; base64. */
  data: string;
}

export interface DecodedPicture {
  timestamp: number;
  width: number;
  height: number;
  /** Against the source of the same index, RGB, dB; null without one. */
  psnr: number | null;
}

/**
 * Decodes a stream with the page's WebCodecs as the console does: Annex B, without a description.
 * `sources` are RGBA or PNG, base64, one for each chunk, null where there is nothing to compare with.
 * @throws Error when the decoder does.
 */
export function decodeInPage(
  page: Page,
  config: Buffer,
  chunks: EncodedChunk[],
  sources: (string | null)[],
): Promise<DecodedPicture[]> {
  const sps = config.indexOf(Buffer.from([0, 0, 1, 0x67]));
  // Profile, constraints and level (RFC 6381): the three bytes after the header of the sequence parameter set.
  const codec = `avc1.${config.subarray(sps + 4, sps + 7).toString('hex')}`;
  return page.evaluate(decode, { codec, chunks, sources });
}

/** Runs in the page. */
async function decode(input: {
  codec: string;
  chunks: EncodedChunk[];
  sources: (string | null)[];
}): Promise<DecodedPicture[]> {
  const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

  const sourcePixels = async (base64: string, width: number, height: number) => {
    const bytes = bytesOf(base64);
    if (bytes[0] !== 0x89 || bytes[1] !== 0x50) return bytes;
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(width, height).getContext('2d')!;
    context.drawImage(bitmap, 0, 0, width, height);
    return context.getImageData(0, 0, width, height).data;
  };

  const psnr = (pixels: ArrayLike<number>, source: ArrayLike<number>) => {
    if (pixels.length !== source.length) throw new Error(`${pixels.length} bytes against ${source.length}`);
    let sum = 0;
    for (let at = 0; at < pixels.length; at++) if (at % 4 !== 3) sum += (pixels[at]! - source[at]!) ** 2;
    return 10 * Math.log10((255 * 255 * pixels.length * 0.75) / Math.max(sum, 1e-9));
  };

  const frames: VideoFrame[] = [];
  let failure: unknown = null;
  const decoder = new VideoDecoder({
    output: (frame) => frames.push(frame),
    error: (error) => {
      failure = error;
    },
  });
  decoder.configure({ codec: input.codec, optimizeForLatency: true });
  for (const { key, timestamp, data } of input.chunks) {
    decoder.decode(new EncodedVideoChunk({ type: key ? 'key' : 'delta', timestamp, data: bytesOf(data) }));
    // A decoder holds few pictures, so each is waited for before the next goes in.
    if (frames.length < input.chunks.length) await new Promise((resolve) => setTimeout(resolve));
  }
  await decoder.flush();
  if (failure) throw failure;
  decoder.close();

  const pictures: DecodedPicture[] = [];
  for (const [index, frame] of frames.entries()) {
    const { displayWidth: width, displayHeight: height, timestamp } = frame;
    const source = input.sources[index];
    let ratio: number | null = null;
    if (source) {
      const context = new OffscreenCanvas(width, height).getContext('2d')!;
      context.drawImage(frame, 0, 0);
      ratio = psnr(context.getImageData(0, 0, width, height).data, await sourcePixels(source, width, height));
    }
    frame.close();
    pictures.push({ timestamp, width, height, psnr: ratio });
  }
  return pictures;
}
