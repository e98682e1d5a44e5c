import { open, rename } from 'node:fs/promises';

/** Writes a file so that whoever looks sees the old one or the whole new one, after a power cut too. */
export async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = await open(temporary, 'w', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}
