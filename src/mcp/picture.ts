import { pngSize } from '../util/png-size.ts';
import type { BorrowedPhones } from './borrowed-phones.ts';
import type { Content } from './tool.ts';

const DEFAULT_MAX_SIDE = 1_000;

/** Returns a screenshot of a session, scaled down, and its size, for an agent. */
export async function pictureOf(
  phones: BorrowedPhones,
  sessionId: string,
  { maxSide = DEFAULT_MAX_SIDE, signal }: { maxSide?: number; signal: AbortSignal },
): Promise<Content> {
  const { png, pixels } = await screenshotOf(phones, sessionId, { maxSide, signal });
  return [
    { type: 'image', data: png.toString('base64'), mimeType: 'image/png' },
    { type: 'text', text: `The screenshot has ${pixels}.` },
  ];
}

/** Returns a screenshot of a session as PNG, and its size as text. */
export async function screenshotOf(
  { service }: BorrowedPhones,
  sessionId: string,
  { maxSide, signal }: { maxSide: number | undefined; signal: AbortSignal },
): Promise<{ png: Buffer; pixels: string }> {
  const query = maxSide === undefined ? {} : { max_side: maxSide };
  const blob = await service.api.screenshot(sessionId, signal, query);
  const png = Buffer.from(await blob.arrayBuffer());
  const size = pngSize(png);
  if (!size) throw new Error('the service sent a screenshot that is not a PNG');
  return { png, pixels: `${size.width}x${size.height} px` };
}
