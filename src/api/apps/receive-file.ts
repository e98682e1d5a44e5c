import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { DiskSpace } from '../../control-plane/apps/disk-space.ts';
import { checkAnnouncedBytes, withinLimit } from '../file-limit.ts';
import type { UploadedFile } from '../implement.ts';

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
  const limit = { maxBytes, what: 'an app', setting: 'PHONEBOOTH_MAX_APP_SIZE' } as const;
  checkAnnouncedBytes(announcedBytes, limit);
  await space.check(announcedBytes ?? 0);
  const hash = createHash('sha256');
  let size = 0;
  await using handle = await open(file, 'wx', 0o600);
  for await (const chunk of withinLimit(bytes, limit)) {
    size += chunk.length;
    hash.update(chunk);
    await space.writing(chunk.length);
    await handle.writeFile(chunk);
  }
  await handle.sync();
  return { size, sha256: hash.digest('hex') };
}
