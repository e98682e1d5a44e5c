import { chmod, mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Where things are in the data folder. */
export const dataFiles = (dataDir: string) => ({
  database: join(dataDir, 'phonebooth.db'),
  apiKey: join(dataDir, 'api-key'),
  hostId: join(dataDir, 'host-id'),
  apps: join(dataDir, 'apps'),
});

/** The data folder cannot be kept from other users of this machine. One line, for the operator. */
export class DataFolderOpenError extends Error {
  constructor(dataDir: string, mode: number, why: string) {
    super(
      `${dataDir} is open to other users of this machine (mode ${mode.toString(8)}) and ${why}: ` +
        `run chmod 700 ${dataDir} as its owner, or set PHONEBOOTH_DATA_DIR to a folder of this user's own, such as ` +
        join(dataDir, 'phonebooth'),
    );
    this.name = 'DataFolderOpenError';
  }
}

/**
 * Makes the folder. It holds keys: one that is there and open to others is closed to them.
 * @throws DataFolderOpenError when it cannot be closed to others
 */
export async function ensureDataFolder(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const { mode } = await stat(dataDir);
  if ((mode & 0o077) === 0) return;
  await chmod(dataDir, 0o700).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EPERM' ? 'belongs to another user' : `cannot be changed (${error.code})`;
    throw new DataFolderOpenError(dataDir, mode & 0o7777, why);
  });
}

/** The line in a file, made with `make` when there is no such file. Written whole or not at all, readable by its owner only. */
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
