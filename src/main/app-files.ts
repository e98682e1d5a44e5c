import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppDraft, type AppFiles, ICON_FILE } from '../api/apps/app-files.ts';

const APK = /^(\d+)\.apk$/;

/** The files of uploaded apps in a folder of this machine: one folder an app, and `drafts` for what is coming in. */
export class AppFolder implements AppFiles {
  private readonly folder: string;
  private readonly drafts: string;

  /** To read what is there. */
  constructor(folder: string) {
    this.folder = folder;
    this.drafts = join(folder, 'drafts');
  }

  /** Removes what was half uploaded when the process ended, and the files of apps that are not `known`. */
  static async open(folder: string, known: (appId: string) => Promise<boolean>): Promise<AppFolder> {
    const files = new AppFolder(folder);
    await rm(files.drafts, { recursive: true, force: true });
    await mkdir(files.drafts, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      if (name !== 'drafts' && !(await known(name))) await files.remove(name);
    }
    return files;
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

  /** The app's APKs, the base first. @throws Error when they are not there. */
  async apks(appId: string): Promise<string[]> {
    const folder = this.of(appId);
    const numbers = (await readdir(folder)).flatMap((name) => APK.exec(name)?.[1] ?? []).map(Number);
    return numbers.sort((a, b) => a - b).map((number) => join(folder, `${number}.apk`));
  }

  async list(appId: string): Promise<string[]> {
    const folder = this.of(appId);
    return (await readdir(folder)).map((name) => join(folder, name));
  }

  remove(appId: string): Promise<void> {
    return rm(this.of(appId), { recursive: true, force: true });
  }

  private of(appId: string): string {
    return join(this.folder, appId);
  }
}

/** A renamed file is where it is for good once its folder is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
