import { ApiError } from '../../contract/http/errors.ts';
import { isDiskFull } from '../../util/disk.ts';
import type { AppFiles } from './app-files.ts';

const MIB = 1024 * 1024;
/**
 * The free space is checked again after this many bytes were written. Concurrent uploads can each exceed the reserve
 * by this much.
 */
const CHECK_EVERY_BYTES = 16 * MIB;
const RETRY_AFTER = { 'retry-after': '60' };

/** Keeps a reserve of disk space free while an upload is written. */
export class DiskSpace {
  private readonly appFiles: Pick<AppFiles, 'freeBytes'>;
  private readonly reserveBytes: number;
  private unchecked = 0;

  constructor(appFiles: Pick<AppFiles, 'freeBytes'>, reserveBytes: number) {
    this.appFiles = appFiles;
    this.reserveBytes = reserveBytes;
  }

  /** @throws ApiError 50300 when `bytes` more would leave less free space than the reserve */
  async check(bytes = 0): Promise<void> {
    this.unchecked = 0;
    if ((await this.appFiles.freeBytes()) - bytes >= this.reserveBytes) return;
    throw new ApiError(
      'unavailable',
      'the disk for uploaded apps has no room for this file, because ' +
        `${Math.round(this.reserveBytes / MIB)} MB must stay free; delete apps, or ask an operator for disk ` +
        'space',
      {},
      RETRY_AFTER,
    );
  }

  /** Called before bytes are written. @throws ApiError 50300 */
  async writing(bytes: number): Promise<void> {
    this.unchecked += bytes;
    if (this.unchecked >= CHECK_EVERY_BYTES) await this.check();
  }
}

/** Converts an error about a full disk to the API error for the client. Returns any other error unchanged. */
export function explainFullDisk(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  return new ApiError(
    'unavailable',
    'the disk for uploaded apps is full; delete apps, or ask an operator for disk space',
    {},
    RETRY_AFTER,
  );
}
