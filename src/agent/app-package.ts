import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BusRequests, ICON_FILE } from '../bus/messages.ts';
import type { AppPackage } from '../drivers/driver.ts';
import { AppSourceError } from './app-source.ts';

const APK = /^(\d+)(\.[\w.]+)?\.apk$/;

type Facts = Pick<
  BusRequests['control-plane.app']['response'],
  'packageName' | 'name' | 'version' | 'minSdk' | 'iconType'
>;

/** Describes the app whose files are in this folder to a driver. @throws AppSourceError */
export async function readAppPackage(appId: string, facts: Facts, folder: string): Promise<AppPackage> {
  try {
    return {
      appId,
      packageName: facts.packageName,
      label: facts.name,
      version: facts.version,
      minSdk: facts.minSdk,
      icon: facts.iconType === null ? null : await readFile(join(folder, ICON_FILE)),
      files: await installableFiles(folder),
    };
  } catch (error) {
    throw new AppSourceError(
      'the files of the app cannot be read; delete the app and upload it again',
      error,
    );
  }
}

/** Returns the files to install on a phone: the APKs with the base first, then expansion files. */
async function installableFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  const number = (name: string) => Number(APK.exec(name)?.[1]);
  const apks = names.filter((name) => APK.test(name)).sort((a, b) => number(a) - number(b));
  const expansions = names.filter((name) => name.endsWith('.obb'));
  return [...apks, ...expansions].map((name) => join(folder, name));
}
