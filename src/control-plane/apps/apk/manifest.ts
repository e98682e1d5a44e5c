import ManifestParser from '@devicefarmer/adbkit-apkreader/lib/apkreader/parser/manifest.js';
import { oneLine } from '../../../util/one-line.ts';
import { ApkError } from './apk-error.ts';
import { ATTRIBUTE_BYTES, START_ELEMENT, STRING_POOL, XML } from './chunk-types.ts';
import { StringPool } from './string-pool.ts';

const CHUNK_HEADER_BYTES = 8;
/** Size of an element's header up to its attributes, and the offset of the attribute count. */
const ELEMENT_BYTES = 36;
const ATTRIBUTE_COUNT_AT = 28;
const MAX_TEXT = 255;

/** The app's properties in its AndroidManifest.xml. A number in `label` or `icon` is a resource id. */
export interface Manifest {
  packageName: string;
  version: string;
  versionCode: number;
  minSdk: number | null;
  /** The name of the split; null for a complete app or the base of one. */
  split: string | null;
  label: string | number | null;
  icon: string | number | null;
}

/** @throws ApkError when the manifest is malformed or has no package name */
export function parseManifest(content: Buffer): Manifest {
  try {
    checkChunks(content);
    return toManifest(new ManifestParser(content).parse());
  } catch (error) {
    if (error instanceof ApkError) throw error;
    throw new ApkError(`its AndroidManifest.xml cannot be read (${(error as Error).message})`);
  }
}

/**
 * Validates the chunks before they reach the parser, which trusts their fields: it never terminates on a chunk of
 * size 0, reads all strings at once, and reads as many attributes as an element declares, even past the end of the
 * element.
 */
function checkChunks(content: Buffer): void {
  if (content.readUInt16LE(0) !== XML)
    throw new ApkError('its AndroidManifest.xml is not compiled, as the Android build tools do');
  const broken = new ApkError('its AndroidManifest.xml is malformed');
  if (content.readUInt16LE(2) !== CHUNK_HEADER_BYTES) throw broken;
  for (let at = CHUNK_HEADER_BYTES; at < content.length; ) {
    const size = content.readUInt32LE(at + 4);
    if (size < CHUNK_HEADER_BYTES || at + size > content.length) throw broken;
    const chunk = content.subarray(at, at + size);
    const type = chunk.readUInt16LE(0);
    if (type === STRING_POOL) new StringPool(chunk).checkOverlap();
    if (type === START_ELEMENT) {
      const attributes = chunk.readUInt16LE(ATTRIBUTE_COUNT_AT);
      if (ELEMENT_BYTES + attributes * ATTRIBUTE_BYTES > size) throw broken;
    }
    at += size;
  }
}

function toManifest(raw: Record<string, unknown>): Manifest {
  const application = (raw.application ?? {}) as Record<string, unknown>;
  const usesSdk = (raw.usesSdk ?? {}) as Record<string, unknown>;
  const launcher = ((application.launcherActivities ?? []) as Record<string, unknown>[])[0];
  const packageName = raw.package;
  if (typeof packageName !== 'string' || !/^[A-Za-z][\w.]{0,254}$/.test(packageName)) {
    throw new ApkError('its AndroidManifest.xml does not name a package');
  }
  return {
    packageName,
    version: text(raw.versionName) ?? '',
    versionCode: versionCode(raw),
    minSdk: typeof usesSdk.minSdkVersion === 'number' ? usesSdk.minSdkVersion : null,
    split: text(raw.split) || null,
    label: stringOrReference(application.label) ?? stringOrReference(launcher?.label),
    icon: stringOrReference(application.icon) ?? stringOrReference(launcher?.icon),
  };
}

/** Since API level 28, `versionCodeMajor` contains the upper 32 bits. */
function versionCode({ versionCode: low, versionCodeMajor: high }: Record<string, unknown>): number {
  const code = (typeof high === 'number' ? high : 0) * 2 ** 32 + (typeof low === 'number' ? low >>> 0 : 0);
  return Number.isSafeInteger(code) && code >= 0 ? code : 0;
}

const text = (value: unknown): string | null =>
  typeof value === 'string' ? oneLine(value, MAX_TEXT) : typeof value === 'number' ? String(value) : null;

/** The parser represents a reference as `resourceId:0x7f0100ab`. */
function stringOrReference(value: unknown): string | number | null {
  if (typeof value !== 'string' || value === '') return null;
  const reference = /^resourceId:0x([0-9a-f]{1,8})$/.exec(value);
  return reference ? Number.parseInt(reference[1]!, 16) : value;
}
