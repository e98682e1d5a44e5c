import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { ApiError } from '../../contract/http/errors.ts';
import type { DiskSpace } from '../../control-plane/apps/disk-space.ts';
import type { UploadedFile } from '../implement.ts';

const MIB = 1024 * 1024;
/** Maximum size of the multipart form around the file. */
const FORM_BYTES = 64 * 1024;

export interface Received {
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

/**
 * Streams a body to a new file and syncs it to disk.
 * @throws ApiError 41300 as soon as the body exceeds `maxBytes`, and 50300 when too little disk space would be left.
 */
export async function receiveFile(
  { bytes, announcedBytes }: UploadedFile,
  file: string,
  maxBytes: number,
  space: DiskSpace,
): Promise<Received> {
  if (announcedBytes !== null && announcedBytes > maxBytes + FORM_BYTES) throw tooLarge(maxBytes);
  await space.check(announcedBytes ?? 0);
  const hash = createHash('sha256');
  let size = 0;
  await using handle = await open(file, 'wx', 0o600);
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    hash.update(chunk);
    await space.writing(chunk.length);
    await handle.writeFile(chunk);
  }
  await handle.sync();
  return { size, sha256: hash.digest('hex') };
}

const tooLarge = (maxBytes: number) =>
  new ApiError(
    'bodyTooLarge',
    `body is too large; the limit for an app is ${Math.floor(maxBytes / MIB)} MB (PHONEBOOTH_MAX_APP_SIZE)`,
  );
