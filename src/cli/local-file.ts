import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * Opens a file of this machine for an upload. Node's own error neither names the file nor says what is wrong with it.
 * @throws Error with both
 */
export async function readableFile(path: string): Promise<Blob> {
  if ((await stat(path)).isDirectory()) throw new Error(`${path} is a folder; name a file`);
  try {
    return await openAsBlob(path);
  } catch (error) {
    throw new Error(`cannot read ${path}; check its permissions`, { cause: error });
  }
}
