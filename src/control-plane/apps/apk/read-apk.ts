import { oneLine } from '../../../util/one-line.ts';
import { ApkError } from './apk-error.ts';
import { findIcon, nullIfMalformed } from './icon.ts';
import type { IconImage } from './image.ts';
import { type Manifest, parseManifest } from './manifest.ts';
import { ResourceTable } from './resource-table.ts';
import { type Archive, ArchiveError } from './zip.ts';

export const MANIFEST = 'AndroidManifest.xml';
/** The largest known manifests have a few hundred KiB. */
const MAX_MANIFEST_BYTES = 2 * 1024 * 1024;
/** If the table is larger, the app's package name serves as its label. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024;
const MAX_LABEL = 200;

/** The properties of an APK, with label and icon resolved. */
export interface Apk extends Omit<Manifest, 'label' | 'icon'> {
  label: string;
  icon: IconImage | null;
}

/** @throws ApkError or ArchiveError when the manifest is missing or cannot be read */
export async function readManifest(archive: Archive): Promise<Manifest> {
  if (!archive.has(MANIFEST)) throw new ApkError(`it does not contain ${MANIFEST}`);
  return parseManifest(await archive.read(MANIFEST, MAX_MANIFEST_BYTES));
}

/** Resolves the references of a manifest. A label or icon that cannot be found is not an error. */
export async function describeApk(archive: Archive, manifest: Manifest): Promise<Apk> {
  const table = await readTable(archive);
  const label =
    typeof manifest.label === 'number'
      ? nullIfMalformed(() => table?.text(manifest.label as number))
      : manifest.label;
  return {
    ...manifest,
    label: oneLine(label ?? '', MAX_LABEL) || manifest.packageName,
    icon: await findIcon(archive, manifest.icon, table),
  };
}

async function readTable(archive: Archive): Promise<ResourceTable | null> {
  if (!archive.has('resources.arsc')) return null;
  try {
    return new ResourceTable(await archive.read('resources.arsc', MAX_TABLE_BYTES));
  } catch (error) {
    if (error instanceof RangeError || error instanceof ArchiveError) return null;
    throw error;
  }
}
