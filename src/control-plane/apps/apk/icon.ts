import { drawablesIn } from './drawable.ts';
import { type IconImage, identifyImage } from './image.ts';
import type { ResourceTable } from './resource-table.ts';
import { type Archive, ArchiveError } from './zip.ts';

const MAX_IMAGE_BYTES = 1024 * 1024;
/** The XML drawables of icons have only a few KiB. */
const MAX_DRAWABLE_BYTES = 256 * 1024;
/**
 * Maximum number of files considered per drawable. A drawable has one for each density, language and Android version.
 */
const MAX_LISTED = 200;
/** Maximum number of files searched for an image. Each nested layer has one for each density. */
const MAX_FILES = 60;
/** Depth of an adaptive icon, its foreground, an inset in the foreground, and a bitmap. */
const MAX_DEPTH = 4;
/** Maximum number of references followed from one drawable. */
const MAX_PARTS = 10;

/**
 * Finds the icon as an image: the file with the most pixels if the app has bitmap icons for older Android versions,
 * otherwise the foreground of an adaptive icon if it is a bitmap. A foreground without its background may look pale,
 * but compositing the two would require decoding untrusted images. Returns null for an icon that consists only of
 * vector drawables.
 */
export async function findIcon(
  archive: Archive,
  icon: string | number | null,
  table: ResourceTable | null,
): Promise<IconImage | null> {
  const filesOf = (id: number) => nullIfMalformed(() => table?.files(id).take(MAX_LISTED).toArray()) ?? [];
  let left = MAX_FILES;
  const find = async (files: string[], depth: number): Promise<IconImage | null> => {
    const known = files.filter((file) => archive.has(file)).slice(0, left);
    left -= known.length;
    for (const file of known.filter((name) => /\.(png|webp)$/i.test(name))) {
      const bytes = await tryRead(archive, file, MAX_IMAGE_BYTES);
      const image = bytes && identifyImage(bytes);
      if (image) return image;
    }
    if (depth === MAX_DEPTH || left === 0) return null;
    for (const file of known.filter((name) => /\.xml$/i.test(name))) {
      const xml = await tryRead(archive, file, MAX_DRAWABLE_BYTES);
      const parts = (xml && nullIfMalformed(() => drawablesIn(xml))) ?? [];
      for (const id of parts.slice(0, MAX_PARTS)) {
        const image = await find(filesOf(id), depth + 1);
        if (image) return image;
      }
    }
    return null;
  };
  if (icon === null) return null;
  return find(typeof icon === 'string' ? [icon] : filesOf(icon), 1);
}

/** Returns null when the entry is corrupt or too large. */
async function tryRead(archive: Archive, file: string, maxBytes: number): Promise<Buffer | null> {
  try {
    return await archive.read(file, maxBytes);
  } catch (error) {
    if (error instanceof ArchiveError) return null;
    throw error;
  }
}

/** Returns null when the data is malformed. */
export function nullIfMalformed<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
