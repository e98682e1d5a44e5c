import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApkError } from '../../../src/control-plane/apps/apk/apk-error.ts';
import { readUpload } from '../../../src/control-plane/apps/apk/read-upload.ts';
import { compiledXml } from '../../fixtures/android-binary.ts';
import { LAYER_ID, makeApk, makeManifest, makePng, makeZip } from '../../fixtures/apk.ts';
import type { Target } from '../engine/target.ts';
import { isShowable } from '../kit/showable.ts';

const MAX_UNPACKED = 64 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'phonebooth-fuzz-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const png = { density: 160, file: 'res/i.png', bytes: makePng(1, '#ffffff') };
const foreground = { name: 'foreground', attributes: { drawable: { reference: LAYER_ID } } };
const drawn = compiledXml({ name: 'adaptive-icon', children: [foreground] });
/** Stores the entries uncompressed, so that mutations reach the parsers directly. */
const stored = { isStored: true };

/** Parses a whole upload: an APK or an archive of several APKs. */
export const target: Target = {
  covers: [
    '/node_modules/yauzl/',
    '/node_modules/fd-slicer/',
    '/node_modules/@devicefarmer/adbkit-apkreader/',
  ],
  maxBytes: 8 * 1024,
  seeds: () => [
    makeApk({ labels: { '': 'S' }, icons: [png] }),
    makeApk(
      { labels: { '': 'S' }, icons: [{ density: 0xfffe, file: 'res/a.xml', bytes: drawn }], layers: [png] },
      stored,
    ),
    makeZip({ 'AndroidManifest.xml': makeManifest({}) }, stored),
    makeZip(
      {
        'base.apk': makeZip({ 'AndroidManifest.xml': makeManifest({}) }, stored),
        'config.de.apk': makeZip({ 'AndroidManifest.xml': makeManifest({ split: 'config.de' }) }, stored),
        'Android/obb/com.example.app/main.1.com.example.app.obb': Buffer.from('more'),
      },
      stored,
    ),
  ],
  run: async (input) => {
    const upload = join(folder, 'upload');
    writeFileSync(upload, input);
    const into = join(folder, 'app');
    mkdirSync(into);
    try {
      const { label, version } = await readUpload(upload, into, { maxBytes: MAX_UNPACKED });
      for (const text of [label, version])
        if (!isShowable(text)) throw new Error(`unexpected text: ${JSON.stringify(text)}`);
    } catch (error) {
      if (!(error instanceof ApkError)) throw error;
    } finally {
      const names = readdirSync(into);
      rmSync(into, { recursive: true });
      check(names);
    }
  },
};

function check(names: string[]): void {
  const odd = names.find(
    (name) => !/^(upload|part-\d+|\d+\.([A-Za-z][\w.]*\.)?apk|(main|patch)\.\d+\.[\w.]+\.obb)$/.test(name),
  );
  if (odd !== undefined) throw new Error(`a file remains: ${odd}`);
}
