import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** Where things are in the data folder. */
export const dataFiles = (dataDir: string) => ({
  database: join(dataDir, 'phonebooth.db'),
  apiKey: join(dataDir, 'api-key'),
  hostId: join(dataDir, 'host-id'),
  apps: join(dataDir, 'apps'),
});

/** Makes the folder; what is in it is its owner's alone. */
export async function ensureDataFolder(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
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
