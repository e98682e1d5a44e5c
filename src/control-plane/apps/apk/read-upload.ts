import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_UNPACK_RATIO } from '../../../contract/http/app.ts';
import { ApkError } from './apk-error.ts';
import { type Apk, describeApk, MANIFEST, readManifest } from './read-apk.ts';
import { Archive, ArchiveError, EntryTooLargeError, MAX_ENTRIES } from './zip.ts';

/** An app bundle has one split per feature, processor, density and language. */
const MAX_SPLITS = 250;

/**
 * Android's own rule for split names (AOSP ParsingPackageUtils.validateName). The name becomes part of a file name.
 */
const SPLIT_NAME = /^[A-Za-z][\w.]{0,99}$/;
/** A main and a patch file. */
const MAX_EXPANSIONS = 2;
const EXPANSION = /^Android\/obb\/([^/]+)\/((?:main|patch)\.\d{1,10}\.([^/]+)\.obb)$/;

/** An archive may always unpack to this size, whatever its compression ratio. */
const RATIO_EXEMPT_BYTES = 8 * 1024 * 1024;

export interface ReadOptions {
  /** Maximum number of bytes that the archive may unpack to. */
  maxBytes: number;
  /** Called before bytes are written to the folder, with their number. */
  beforeWriting?: (bytes: number) => Promise<void>;
  /** Maximum number of entries of the archive and of the APKs in it together. Reading one takes about 30 µs. */
  maxEntries?: number;
}

/**
 * Reads an uploaded file as an app, and leaves its files in the folder: the base as `0.apk`, splits with their names
 * as `1.config.en.apk` and so on, and expansion files (`.obb`) under their own names. The uploaded file itself is
 * removed. An archive that contains several APKs (`.apks` of bundletool or SAI, `.xapk`) is unpacked to at most
 * `maxBytes` and at most MAX_UNPACK_RATIO times its size.
 * @throws ApkError with the reason when the file is not a valid app.
 */
export async function readUpload(
  file: string,
  folder: string,
  { maxBytes, beforeWriting = async () => {}, maxEntries = MAX_ENTRIES }: ReadOptions,
): Promise<Apk> {
  try {
    const archive = await Archive.open(file, maxEntries);
    if (archive.has(MANIFEST)) {
      const manifest = await readManifest(archive);
      if (manifest.split) throw new ApkError(`it is a split (${manifest.split}) without its base APK`);
      const apk = await describeApk(archive, manifest);
      await rename(file, join(folder, '0.apk'));
      return apk;
    }
    const { size } = await stat(file);
    const mostByRatio = Math.max(RATIO_EXEMPT_BYTES, size * MAX_UNPACK_RATIO);
    const bounded = {
      maxBytes: Math.min(maxBytes, mostByRatio),
      beforeWriting,
      maxEntries: maxEntries - archive.entryCount,
    };
    const apk = await unpack(archive, folder, bounded).catch((error: unknown) => {
      if (!(error instanceof EntryTooLargeError) || maxBytes <= mostByRatio) throw error;
      throw new ApkError(`it unpacks to more than ${MAX_UNPACK_RATIO} times its size`);
    });
    await rm(file);
    return apk;
  } catch (error) {
    if (error instanceof ArchiveError) throw new ApkError(error.message);
    throw error;
  }
}

interface Part {
  file: string;
  split: string | null;
}

async function unpack(
  archive: Archive,
  folder: string,
  { maxBytes, beforeWriting, maxEntries }: Required<ReadOptions>,
): Promise<Apk> {
  const names = apksIn(archive);
  const parts: Part[] = [];
  const packages = new Set<string>();
  let base: Apk | null = null;
  let left = maxBytes;
  let entriesLeft = maxEntries;
  for (const [index, name] of names.entries()) {
    const file = join(folder, `part-${index}`);
    left -= await archive.extract(name, file, left, beforeWriting);
    const inner = await Archive.open(file, entriesLeft);
    entriesLeft -= inner.entryCount;
    const manifest = await readManifest(inner);
    packages.add(manifest.packageName);
    if (manifest.split !== null && !SPLIT_NAME.test(manifest.split)) {
      throw new ApkError(`it has a split whose name Android rejects: ${manifest.split}`);
    }
    if (manifest.split === null) base ??= await describeApk(inner, manifest);
    // An archive may contain several APKs of one split, each for a range of Android versions. The first supports the
    // oldest.
    if (parts.some(({ split }) => split === manifest.split)) await rm(file);
    else parts.push({ file, split: manifest.split });
  }
  if (packages.size > 1) throw new ApkError(`its APKs belong to several apps: ${[...packages].join(', ')}`);
  if (!base) throw new ApkError('none of its APKs is the base APK of an app');
  parts.sort((a, b) => Number(a.split !== null) - Number(b.split !== null));
  for (const [index, { file, split }] of parts.entries()) {
    await rename(file, join(folder, split === null ? `${index}.apk` : `${index}.${split}.apk`));
  }
  await unpackExpansions(archive, base.packageName, folder, { maxBytes: left, beforeWriting });
  return base;
}

/**
 * Unpacks the expansion files of a game. Android stores them beside the app and finds them by name.
 * Source: https://developer.android.com/google/play/expansion-files, "File name format".
 */
async function unpackExpansions(
  archive: Archive,
  packageName: string,
  folder: string,
  { maxBytes, beforeWriting }: Required<Omit<ReadOptions, 'maxEntries'>>,
): Promise<void> {
  let left = maxBytes;
  const entries = archive.names.filter((name) => name.startsWith('Android/obb/') && !name.endsWith('/'));
  if (entries.length > MAX_EXPANSIONS)
    throw new ApkError(`it has more than ${MAX_EXPANSIONS} expansion files`);
  for (const entry of entries) {
    const [, inFolder, name, inName] = EXPANSION.exec(entry) ?? [];
    if (name === undefined || inFolder !== packageName || inName !== packageName) {
      throw new ApkError(
        `the name of its expansion file ${entry} does not have the form that Android expects`,
      );
    }
    left -= await archive.extract(entry, join(folder, name), left, beforeWriting);
  }
}

/**
 * The names of the APKs that make up the app. bundletool repeats the app in `standalones/` for Android versions
 * before 5, and in `instant/` as an instant app; both are skipped.
 */
function apksIn(archive: Archive): string[] {
  const names = archive.names
    .filter((name) => name.toLowerCase().endsWith('.apk') && !/^(standalones|instant)\//.test(name))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  if (names.length === 0) throw new ApkError(`it contains neither ${MANIFEST} nor an .apk file`);
  if (names.length > MAX_SPLITS) throw new ApkError(`it contains more than ${MAX_SPLITS} APKs`);
  return names;
}
