import type { Image } from '@napi-rs/canvas';
import { DriverError } from '../../driver.ts';
import type { InstalledPackage } from '../worker-messages.ts';
import type { AppDefinition } from './app.ts';
import { InstalledApp } from './installed-app.ts';

/** The number of apps for which the home screen has room in addition to the preinstalled ones. */
export const MAX_INSTALLED = 12;

/** API levels by major version: https://developer.android.com/tools/releases/platforms */
const API_LEVELS: Readonly<Record<number, number>> = { 11: 30, 12: 31, 13: 33, 14: 34, 15: 35, 16: 36 };

/** The installed apps of a phone, in order of installation. They are discarded with the phone's state. */
export class InstalledApps {
  readonly #apps: AppDefinition[] = [];

  get all(): readonly AppDefinition[] {
    return this.#apps;
  }

  /**
   * Adds an app, replacing an older one with the same name.
   * @throws DriverError with a message of Android's package manager.
   */
  add(app: InstalledPackage, picture: Image | null, phone: { osVersion: number; system: boolean }): void {
    const level = API_LEVELS[phone.osVersion];
    if (app.minSdk !== null && level !== undefined && app.minSdk > level) {
      throw new DriverError(
        'failed',
        `INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #${app.minSdk} (current version is #${level})`,
      );
    }
    if (phone.system) {
      throw new DriverError(
        'failed',
        `INSTALL_FAILED_UPDATE_INCOMPATIBLE: ${app.packageName} signatures do not match`,
      );
    }
    const definition = definitionOf(app, picture);
    const index = this.#apps.findIndex(({ package: name }) => name === app.packageName);
    if (index >= 0) this.#apps[index] = definition;
    else if (this.#apps.length < MAX_INSTALLED) this.#apps.push(definition);
    else throw new DriverError('failed', 'INSTALL_FAILED_INSUFFICIENT_STORAGE: the phone is full');
  }

  remove(definition: AppDefinition): void {
    const index = this.#apps.indexOf(definition);
    if (index >= 0) this.#apps.splice(index, 1);
  }
}

function definitionOf(app: InstalledPackage, picture: Image | null): AppDefinition {
  const icon = { name: 'phone', color: '#ffffff', background: '#4f6b5c' } as const;
  const definition: AppDefinition = {
    package: app.packageName,
    label: app.label,
    icon: picture ? { ...icon, picture } : icon,
    start: (host) => new InstalledApp(host, definition, app.version),
  };
  return definition;
}
