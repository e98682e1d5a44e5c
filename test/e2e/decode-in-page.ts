import type { Page } from 'playwright-core';

export interface EncodedChunk {
  key: boolean;
  /** Presentation time in microseconds. */
  timestamp: number;
  /** A base64-encoded Annex B access unit. A keyframe is preceded by the parameter sets. */
  data: string;
}

export interface DecodedFrame {
  timestamp: number;
  width: number;
  height: number;
  /** PSNR against the source of the same index, over RGB, in dB. null if there is no source. */
  psnr: number | null;
}

/**
 * Decodes a stream with the page's WebCodecs as the console does: Annex B, without a description. `sources` are
 * base64-encoded RGBA or PNG, one for each chunk, or null where there is nothing to compare with.
 * @throws Error if the decoder fails
 */
export function decodeInPage(
  page: Page,
  config: Buffer,
  chunks: EncodedChunk[],
  sources: (string | null)[],
): Promise<DecodedFrame[]> {
  const sps = config.indexOf(Buffer.from([0, 0, 1, 0x67]));
  // Profile, constraints and level (RFC 6381) are the three bytes after the header of the sequence parameter set.
  const codec = `avc1.${config.subarray(sps + 4, sps + 7).toString('hex')}`;
  return page.evaluate(decode, { codec, chunks, sources });
}

/** Runs inside the page. */
async function decode(input: {
  codec: string;
  chunks: EncodedChunk[];
  sources: (string | null)[];
}): Promise<DecodedFrame[]> {
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
    // A decoder holds only a few frames, so each must be output before the next is submitted.
    if (frames.length < input.chunks.length) await new Promise((resolve) => setTimeout(resolve));
  }
  await decoder.flush();
  if (failure) throw failure;
  decoder.close();

  const decoded: DecodedFrame[] = [];
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
    decoded.push({ timestamp, width, height, psnr: ratio });
  }
  return decoded;
}
