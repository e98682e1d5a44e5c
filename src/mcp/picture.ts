import type { BorrowedPhones } from './borrowed-phones.ts';
import type { Content } from './tool.ts';

const DEFAULT_MAX_SIDE = 1_000;

/** Returns a screenshot of a session as PNG, scaled down, and its size. */
export async function pictureOf(
  phones: BorrowedPhones,
  sessionId: string,
  { maxSide = DEFAULT_MAX_SIDE, signal }: { maxSide?: number; signal: AbortSignal },
): Promise<Content> {
  const png = await screenshotOf(phones, sessionId, { maxSide, signal });
  const { width, height } = sizeOf(png);
  return [
    { type: 'image', data: png.toString('base64'), mimeType: 'image/png' },
    { type: 'text', text: `The screenshot has ${width}x${height} px.` },
  ];
}

export async function screenshotOf(
  { service }: BorrowedPhones,
  sessionId: string,
  { maxSide, signal }: { maxSide: number | undefined; signal: AbortSignal },
): Promise<Buffer> {
  const query = maxSide === undefined ? {} : { max_side: maxSide };
  const blob = await service.api.screenshot(sessionId, signal, query);
  return Buffer.from(await blob.arrayBuffer());
}

/** A PNG begins with 8 bytes of signature and the header chunk: length, type, width, height (RFC 2083, 4.1.1). */
export const sizeOf = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });
