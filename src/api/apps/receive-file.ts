import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { ApiError } from '../../contract/errors.ts';
import type { UploadedFile } from '../implement.ts';

const MIB = 1024 * 1024;
/** What a form has around its file, at most. */
const FORM_BYTES = 64 * 1024;

export interface Received {
  size: number;
  /** Hex. */
  sha256: string;
}

/**
 * Writes a body to a new file as it comes, and to the disk for good.
 * @throws ApiError 41300 as soon as it is larger than `maxBytes`, and 50300 when the disk is full.
 */
export async function receiveFile(
  { bytes, announcedBytes }: UploadedFile,
  file: string,
  maxBytes: number,
): Promise<Received> {
  if (announcedBytes !== null && announcedBytes > maxBytes + FORM_BYTES) throw tooLarge(maxBytes);
  const hash = createHash('sha256');
  let size = 0;
  await using handle = await open(file, 'wx', 0o600);
  try {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } catch (error) {
    throw isDiskFull(error) ? diskFull() : error;
  }
  return { size, sha256: hash.digest('hex') };
}

const tooLarge = (maxBytes: number) =>
  new ApiError('bodyTooLarge', `body: is too large; an app has at most ${Math.floor(maxBytes / MIB)} MB`);

const isDiskFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

const diskFull = () =>
  new ApiError('unavailable', 'the service has no room for this file now', {}, { 'retry-after': '60' });
