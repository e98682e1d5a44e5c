import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ICON_FILE } from '../../bus/messages.ts';
import { freeBytesOf, syncFolder } from '../../util/disk.ts';
import type { AppDraft, AppFiles } from './app-files.ts';

const DRAFTS = 'drafts';
/** A draft that was not written to for this long is abandoned, because an upload's connection times out earlier. */
const ABANDONED_MS = 60 * 60_000;
/**
 * Folders without a row in the store are reported only when nothing was written to them for this long. Younger ones
 * may belong to an upload that another process is about to finish.
 */
const ORPHAN_AGE_MS = 24 * 60 * 60_000;

/**
 * The files of uploaded apps: one folder per app, and `drafts` for uploads in progress. Several processes may share
 * the folder. With a wrong setting it may be the folder of another service, so unknown files are left alone.
 */
export class AppFolder implements AppFiles {
  readonly undecided = new Map<string, number>();
  private readonly folder: string;
  private readonly drafts: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.drafts = join(folder, DRAFTS);
  }

  static async open(folder: string): Promise<AppFolder> {
    const files = new AppFolder(folder);
    await mkdir(files.drafts, { recursive: true, mode: 0o700 });
    return files;
  }

  async findOrphans(known: (appId: string) => Promise<boolean>): Promise<string[]> {
    const found: string[] = [];
    for (const name of await readdir(this.folder)) {
      if (name === DRAFTS || (await known(name))) continue;
      if (await isOlder(this.of(name), ORPHAN_AGE_MS)) found.push(name);
    }
    return found;
  }

  async removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.drafts)) {
      const draft = join(this.drafts, name);
      if (await isOlder(draft, ABANDONED_MS)) await rm(draft, { recursive: true, force: true });
    }
  }

  async draft(): Promise<AppDraft> {
    const folder = join(this.drafts, randomUUID());
    await mkdir(folder, { mode: 0o700 });
    return {
      folder,
      keep: async (appId) => {
        await syncFolder(folder);
        await rename(folder, this.of(appId));
        await syncFolder(this.folder);
      },
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  }

  readIcon(appId: string): Promise<Uint8Array> {
    return readFile(join(this.of(appId), ICON_FILE));
  }

  async list(appId: string): Promise<string[]> {
    const folder = this.of(appId);
    return (await readdir(folder)).map((name) => join(folder, name));
  }

  async storedBytes(appId: string): Promise<number> {
    const sizes = await Promise.all((await this.list(appId)).map(async (file) => (await stat(file)).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  freeBytes(): Promise<number> {
    return freeBytesOf(this.folder);
  }

  remove(appId: string): Promise<void> {
    return rm(this.of(appId), { recursive: true, force: true });
  }

  /** The folder of an app's files. */
  of(appId: string): string {
    return join(this.folder, appId);
  }
}

/** Whether nothing in the folder was written within this time. False when the folder does not exist any more. */
async function isOlder(folder: string, ms: number): Promise<boolean> {
  try {
    const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
    const times = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs));
    return Math.max(...times) < Date.now() - ms;
  } catch (error) {
    // A folder that another process moves or removes during the check is in use. An entry that is not a folder does
    // not belong to the service.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
