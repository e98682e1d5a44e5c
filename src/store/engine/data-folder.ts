import { chmod, mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The paths of the files in the data folder. */
export const dataFiles = (dataDir: string) => ({
  database: join(dataDir, 'phonebooth.db'),
  apiKey: join(dataDir, 'api-key'),
  hostId: join(dataDir, 'host-id'),
  apps: join(dataDir, 'apps'),
  artifacts: join(dataDir, 'artifacts'),
});

/**
 * Other users of this machine can access the data folder, and the permissions cannot be changed. The message is one
 * line for the operator.
 */
export class DataFolderOpenError extends Error {
  constructor(dataDir: string, mode: number, why: string) {
    super(
      `${dataDir} is accessible to other users of this machine (mode ${mode.toString(8)}) and ${why}; run ` +
        `chmod 700 ${dataDir} as its owner, or set PHONEBOOTH_DATA_DIR to a folder that this user owns, such ` +
        'as ' +
        join(dataDir, 'phonebooth'),
    );
    this.name = 'DataFolderOpenError';
  }
}

/**
 * Creates the data folder. It contains keys, so access by other users is removed from an existing folder.
 * @throws DataFolderOpenError when that is not possible
 */
export async function ensureDataFolder(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const { mode } = await stat(dataDir);
  if ((mode & 0o077) === 0) return;
  await chmod(dataDir, 0o700).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EPERM' ? 'belongs to another user' : `its mode cannot be changed (${error.code})`;
    throw new DataFolderOpenError(dataDir, mode & 0o7777, why);
  });
}

/**
 * Returns the line in a file, or creates the file atomically with the result of `make` when it does not exist. Only
 * its owner can read the file.
 */
export async function ensureLine(
  file: string,
  make: () => string,
): Promise<{ line: string; isNew: boolean }> {
  const existing = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (existing?.trim()) return { line: existing.trim(), isNew: false };
  const line = make();
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(`${line}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  return { line, isNew: true };
}
