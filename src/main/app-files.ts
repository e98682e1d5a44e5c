import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppDraft, type AppFiles, ICON_FILE } from '../api/apps/app-files.ts';

const APK = /^(\d+)(\.[\w.]+)?\.apk$/;
const DRAFTS = 'drafts';
/** No upload lives so long without a byte: its connection is given up before. */
const ABANDONED_MS = 60 * 60_000;
/** Until then files without a row may be of an upload that another process is about to finish. */
const STRANGE_MS = 24 * 60 * 60_000;

/**
 * The files of uploaded apps: one folder an app, and `drafts` for what is coming in. Several processes may share them,
 * and a mistaken setting may show a process those of another service, so that whatever it does not know stays.
 */
export class AppFolder implements AppFiles {
  private readonly folder: string;
  private readonly drafts: string;

  /** To read what is there. */
  constructor(folder: string) {
    this.folder = folder;
    this.drafts = join(folder, DRAFTS);
  }

  static async open(folder: string): Promise<AppFolder> {
    const files = new AppFolder(folder);
    await mkdir(files.drafts, { recursive: true, mode: 0o700 });
    return files;
  }

  async strangers(known: (appId: string) => Promise<boolean>): Promise<string[]> {
    const found: string[] = [];
    for (const name of await readdir(this.folder)) {
      if (name === DRAFTS || (await known(name))) continue;
      if (await isOlder(this.of(name), STRANGE_MS)) found.push(name);
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

  /** What is to be put on a phone: the APKs, the base first, then expansion files. @throws Error when they are not there. */
  async installable(appId: string): Promise<string[]> {
    const folder = this.of(appId);
    const names = await readdir(folder);
    const number = (name: string) => Number(APK.exec(name)?.[1]);
    const apks = names.filter((name) => APK.test(name)).sort((a, b) => number(a) - number(b));
    const expansions = names.filter((name) => name.endsWith('.obb'));
    return [...apks, ...expansions].map((name) => join(folder, name));
  }

  async list(appId: string): Promise<string[]> {
    const folder = this.of(appId);
    return (await readdir(folder)).map((name) => join(folder, name));
  }

  async storedBytes(appId: string): Promise<number> {
    const sizes = await Promise.all((await this.list(appId)).map(async (file) => (await stat(file)).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }

  remove(appId: string): Promise<void> {
    return rm(this.of(appId), { recursive: true, force: true });
  }

  private of(appId: string): string {
    return join(this.folder, appId);
  }
}

/** Whether nothing in the folder was written for so long. False when it is gone. */
async function isOlder(folder: string, ms: number): Promise<boolean> {
  try {
    const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
    const times = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs));
    return Math.max(...times) < Date.now() - ms;
  } catch (error) {
    // What is kept or removed while it is looked at is not old, and what is no folder is none of ours.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** A renamed file is where it is for good once its folder is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
