import type { DecoderEvents, PictureDecoder } from './picture-decoder.ts';

export type DecoderKind = 'webcodecs' | 'tinyh264';

/** WebCodecs is available only in secure contexts, which excludes plain HTTP except on localhost. */
export const bestDecoder = (): DecoderKind => ('VideoDecoder' in globalThis ? 'webcodecs' : 'tinyh264');

export async function createDecoder(
  kind: DecoderKind,
  canvas: HTMLCanvasElement,
  events: DecoderEvents,
): Promise<PictureDecoder> {
  if (kind === 'webcodecs') {
    const { WebCodecsDecoder } = await import('./webcodecs-decoder.ts');
    return new WebCodecsDecoder(canvas, events);
  }
  const { SoftwareDecoder } = await import('./software-decoder.ts');
  return new SoftwareDecoder(canvas, events);
}
