import { readAppPackage } from '../agent/app-package.ts';
import { type AppSource, AppSourceError } from '../agent/app-source.ts';
import type { AppFolder } from '../control-plane/apps/app-folder.ts';
import type { Store } from '../store/store.ts';

/** Provides apps to an agent that runs on the machine with the app files. It uses the files without copying them. */
export function localApps(store: Pick<Store, 'getKeptApp'>, files: AppFolder): AppSource {
  return {
    open: async (appId) => {
      const row = await store.getKeptApp(appId);
      if (!row) throw new AppSourceError('the app was deleted');
      return {
        app: await readAppPackage(appId, row, files.of(appId)),
        [Symbol.asyncDispose]: async () => {},
      };
    },
  };
}
