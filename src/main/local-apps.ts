import { type AppSource, AppSourceError } from '../agent/app-source.ts';
import type { Store } from '../store/store.ts';
import type { AppFolder } from './app-files.ts';

/** Apps for an agent that runs beside the files: they are used where they lie. */
export function localApps(store: Pick<Store, 'getKeptApp'>, files: AppFolder): AppSource {
  return {
    open: async (appId) => {
      const row = await store.getKeptApp(appId);
      if (!row) throw new AppSourceError('the app was deleted');
      try {
        const app = {
          appId,
          packageName: row.packageName,
          label: row.name,
          version: row.version,
          minSdk: row.minSdk,
          icon: row.iconType === null ? null : await files.readIcon(appId),
          files: await files.apks(appId),
        };
        return { app, [Symbol.asyncDispose]: async () => {} };
      } catch (error) {
        throw new AppSourceError('the files of the app cannot be read', error);
      }
    },
  };
}
