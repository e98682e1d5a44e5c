import type { Image } from '@napi-rs/canvas';
import { DriverError } from '../../driver.ts';
import type { InstalledPackage } from '../worker-messages.ts';
import type { AppDefinition } from './app.ts';
import { APPS } from './catalogue.ts';
import { InstalledApp } from './installed-app.ts';

/** The number of apps for which the home screen has room in addition to the preinstalled ones. */
export const MAX_INSTALLED = 12;

/** API levels by major version: https://developer.android.com/tools/releases/platforms */
const API_LEVELS: Readonly<Record<number, number>> = { 11: 30, 12: 31, 13: 33, 14: 34, 15: 35, 16: 36 };

/**
 * The apps of a phone: the preinstalled ones and those installed later, in order of installation. The latter are
 * discarded with the phone's state.
 */
export class InstalledApps {
  readonly #osVersion: number;
  readonly #apps: AppDefinition[] = [];

  constructor(osVersion: number) {
    this.#osVersion = osVersion;
  }

  get all(): readonly AppDefinition[] {
    return [...APPS, ...this.#apps];
  }

  find(packageName: string): AppDefinition | undefined {
    return this.all.find((app) => app.package === packageName);
  }

  /**
   * Adds an app, replacing an older one with the same name, and returns it.
   * @throws DriverError with a message of Android's package manager.
   */
  add(app: InstalledPackage, image: Image | null): AppDefinition {
    const level = API_LEVELS[this.#osVersion];
    if (app.minSdk !== null && level !== undefined && app.minSdk > level) {
      throw new DriverError(
        'failed',
        `INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #${app.minSdk} (current version is #${level})`,
      );
    }
    if (isPreinstalled(app.packageName)) {
      throw new DriverError(
        'failed',
        `INSTALL_FAILED_UPDATE_INCOMPATIBLE: ${app.packageName} signatures do not match`,
      );
    }
    const definition = definitionOf(app, image);
    const index = this.#apps.findIndex(({ package: name }) => name === app.packageName);
    if (index >= 0) this.#apps[index] = definition;
    else if (this.#apps.length < MAX_INSTALLED) this.#apps.push(definition);
    else throw new DriverError('failed', 'INSTALL_FAILED_INSUFFICIENT_STORAGE: the phone is full');
    return definition;
  }

  /**
   * Removes an app and returns it.
   * @throws DriverError for an app that does not exist or is preinstalled.
   */
  remove(packageName: string): AppDefinition {
    if (isPreinstalled(packageName)) {
      throw new DriverError('failed', `DELETE_FAILED_INTERNAL_ERROR: ${packageName} came with the phone`);
    }
    const index = this.#apps.findIndex((app) => app.package === packageName);
    const [removed] = index < 0 ? [] : this.#apps.splice(index, 1);
    if (!removed)
      throw new DriverError('failed', `this phone has no app named ${packageName}; app.list lists its apps`);
    return removed;
  }
}

const isPreinstalled = (packageName: string) => APPS.some((app) => app.package === packageName);

function definitionOf(app: InstalledPackage, image: Image | null): AppDefinition {
  const icon = { name: 'phone', color: '#ffffff', background: '#4f6b5c' } as const;
  const definition: AppDefinition = {
    package: app.packageName,
    label: app.label,
    icon: image ? { ...icon, image } : icon,
    start: (host) => new InstalledApp(host, definition, app.version),
  };
  return definition;
}
