import { drawablesIn } from './drawable.ts';
import { type Picture, pictureOf } from './picture.ts';
import type { ResourceTable } from './resource-table.ts';
import { type Archive, ArchiveError } from './zip.ts';

const MAX_PICTURE_BYTES = 1024 * 1024;
/** Drawings of icons have some KiB. */
const MAX_DRAWABLE_BYTES = 256 * 1024;
/** Files that a drawable may have: one for each density, language and version of Android. */
const MAX_LISTED = 200;
/** Files that are looked at for one that is a picture: a layer of a layer has one for each density. */
const MAX_FILES = 60;
/** An adaptive icon, its foreground, an inset in that, and a bitmap. */
const MAX_DEPTH = 4;
/** Drawables of one drawing. */
const MAX_PARTS = 10;

/**
 * The icon as a picture: the file with the most pixels where the icon has such files for older Androids, else the
 * foreground of an adaptive icon, where that is one. A foreground without its background may look pale; putting both
 * together would mean to decode strangers' pictures. An icon drawn in vectors alone is null.
 */
export async function findIcon(
  archive: Archive,
  icon: string | number | null,
  table: ResourceTable | null,
): Promise<Picture | null> {
  const filesOf = (id: number) => unlessBroken(() => table?.files(id).take(MAX_LISTED).toArray()) ?? [];
  let left = MAX_FILES;
  const find = async (files: string[], depth: number): Promise<Picture | null> => {
    const known = files.filter((file) => archive.has(file)).slice(0, left);
    left -= known.length;
    for (const file of known.filter((name) => /\.(png|webp)$/i.test(name))) {
      const bytes = await tryRead(archive, file, MAX_PICTURE_BYTES);
      const picture = bytes && pictureOf(bytes);
      if (picture) return picture;
    }
    if (depth === MAX_DEPTH || left === 0) return null;
    for (const file of known.filter((name) => /\.xml$/i.test(name))) {
      const xml = await tryRead(archive, file, MAX_DRAWABLE_BYTES);
      const parts = (xml && unlessBroken(() => drawablesIn(xml))) ?? [];
      for (const id of parts.slice(0, MAX_PARTS)) {
        const picture = await find(filesOf(id), depth + 1);
        if (picture) return picture;
      }
    }
    return null;
  };
  if (icon === null) return null;
  return find(typeof icon === 'string' ? [icon] : filesOf(icon), 1);
}

/** null: the archive has it broken, or it is too large. */
async function tryRead(archive: Archive, file: string, maxBytes: number): Promise<Buffer | null> {
  try {
    return await archive.read(file, maxBytes);
  } catch (error) {
    if (error instanceof ArchiveError) return null;
    throw error;
  }
}

/** What is broken tells nothing. */
export function unlessBroken<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
