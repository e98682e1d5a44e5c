import { ApiError } from '../../contract/errors.ts';
import type { AppFiles } from './app-files.ts';

const MIB = 1024 * 1024;
/** The free space is read again after so many bytes were written: several uploads at once exceed it by so much each. */
const CHECK_EVERY_BYTES = 16 * MIB;
const RETRY_AFTER = { 'retry-after': '60' };

/** Keeps a reserve free on the disk of uploaded apps while one upload is written to it. */
export class DiskSpace {
  private readonly appFiles: Pick<AppFiles, 'freeBytes'>;
  private readonly reserveBytes: number;
  private unchecked = 0;

  constructor(appFiles: Pick<AppFiles, 'freeBytes'>, reserveBytes: number) {
    this.appFiles = appFiles;
    this.reserveBytes = reserveBytes;
  }

  /** @throws ApiError 50300 when so many bytes more would leave less than the reserve */
  async check(bytes = 0): Promise<void> {
    this.unchecked = 0;
    if ((await this.appFiles.freeBytes()) - bytes >= this.reserveBytes) return;
    throw new ApiError(
      'unavailable',
      `the disk of uploaded apps has no room for this file: ${Math.round(this.reserveBytes / MIB)} MB of it are kept free; ` +
        'delete apps, or ask an operator for disk space',
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

/** A full disk as the error that the client is answered; every other error as it is. */
export function explainFullDisk(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new ApiError('unavailable', 'the disk of uploaded apps is full', {}, RETRY_AFTER);
}
