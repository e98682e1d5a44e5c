import { type AppSource, AppSourceError } from '../agent/app-source.ts';
import type { BusRequests } from '../bus/messages.ts';
import type { AppPackage } from '../drivers/driver.ts';
import type { Store } from '../store/store.ts';
import type { AppFolder } from './app-files.ts';

type Facts = Pick<
  BusRequests['control-plane.app']['response'],
  'packageName' | 'name' | 'version' | 'minSdk' | 'iconType'
>;

/** Provides apps to an agent that runs on the machine with the app files. It uses the files without copying them. */
export function localApps(store: Pick<Store, 'getKeptApp'>, files: AppFolder): AppSource {
  return {
    open: async (appId) => {
      const row = await store.getKeptApp(appId);
      if (!row) throw new AppSourceError('the app was deleted');
      return { app: await readPackage(appId, row, files), [Symbol.asyncDispose]: async () => {} };
    },
  };
}

/** @throws AppSourceError */
export async function readPackage(appId: string, facts: Facts, files: AppFolder): Promise<AppPackage> {
  try {
    return {
      appId,
      packageName: facts.packageName,
      label: facts.name,
      version: facts.version,
      minSdk: facts.minSdk,
      icon: facts.iconType === null ? null : await files.readIcon(appId),
      files: await files.installable(appId),
    };
  } catch (error) {
    throw new AppSourceError('the files of the app cannot be read', error);
  }
}
