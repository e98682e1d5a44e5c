import { markLoaded } from '../../ui/reload-once.ts';
import type { DecoderEvents, StreamDecoder } from './stream-decoder.ts';

export type DecoderKind = 'webcodecs' | 'tinyh264';

/** WebCodecs is available only in secure contexts, which excludes plain HTTP except on localhost. */
export const bestDecoder = (): DecoderKind => ('VideoDecoder' in globalThis ? 'webcodecs' : 'tinyh264');

/**
 * Creates a decoder, whose code is loaded first.
 * @throws if the code cannot be loaded
 */
export async function createDecoder(
  kind: DecoderKind,
  canvas: HTMLCanvasElement,
  events: DecoderEvents,
): Promise<StreamDecoder> {
  if (kind === 'webcodecs') {
    const { WebCodecsDecoder } = await import('./webcodecs-decoder.ts');
    markLoaded(kind);
    return new WebCodecsDecoder(canvas, events);
  }
  const { SoftwareDecoder } = await import('./software-decoder.ts');
  markLoaded(kind);
  return new SoftwareDecoder(canvas, events);
}
