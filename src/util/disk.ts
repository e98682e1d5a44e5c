import { open, statfs } from 'node:fs/promises';

/** Free space of the disk that contains a folder, for processes of users other than root, in bytes. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Whether an operation on a file failed because the disk, or the quota of the user, is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** Syncs a folder to disk. A rename is durable only after its folder has been synced. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
