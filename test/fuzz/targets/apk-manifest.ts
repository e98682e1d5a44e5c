import { ApkError } from '../../../src/control-plane/apps/apk/apk-error.ts';
import { parseManifest } from '../../../src/control-plane/apps/apk/manifest.ts';
import { makeManifest, makePng } from '../../fixtures/apk.ts';
import { type Target, unlessRefused } from '../engine/target.ts';
import { isShowable } from '../kit/showable.ts';

/** Parses a compiled AndroidManifest.xml. */
export const target: Target = {
  covers: ['/node_modules/@devicefarmer/adbkit-apkreader/'],
  seeds: () => [
    makeManifest({}),
    makeManifest({ label: null, version: '2.1', versionCode: 7, versionCodeMajor: 1, minSdk: 26 }),
    makeManifest({ split: 'config.de', labels: { '': 'Sample' } }),
    makeManifest({ icons: [{ density: 160, file: 'res/icon.png', bytes: makePng(1, '#ffffff') }] }),
  ],
  run: (input) => {
    const manifest = unlessRefused([ApkError], () => parseManifest(input));
    if (!manifest) return;
    const { version, versionCode, minSdk } = manifest;
    if (!isShowable(version)) throw new Error(`invalid version: ${JSON.stringify(version)}`);
    if (!Number.isSafeInteger(versionCode) || versionCode < 0)
      throw new Error(`invalid version code: ${versionCode}`);
    if (minSdk !== null && !Number.isInteger(minSdk)) throw new Error(`invalid minimum API level: ${minSdk}`);
  },
};
