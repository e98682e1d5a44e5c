import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { freeBytesOf, isDiskFull, syncFolder } from '../../util/disk.ts';
import { type ArtifactFiles, ArtifactMissingError, ArtifactStorageError } from './artifact-files.ts';

const UPLOADS = 'uploads';
/** Size of the parts in which content is read. */
const CHUNK_BYTES = 256 * 1024;
/** The sync at the end then takes little time, also on a slow disk: a host waits 60 s for it. */
const SYNC_BYTES = 32 * 1024 * 1024;
/** An upload that was not written to for this long is abandoned, because the link of an upload times out earlier. */
const ABANDONED_MS = 60 * 60_000;
/** An identifier becomes the name of a file. */
const ID = /^\w[\w-]{0,127}$/;

/**
 * Stores artifacts in a folder: one file per artifact, and `uploads` for those that are being received. Several
 * processes may share the folder.
 */
export class ArtifactFolder implements ArtifactFiles {
  private readonly folder: string;
  private readonly uploads: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.uploads = join(folder, UPLOADS);
  }

  static async open(folder: string): Promise<ArtifactFolder> {
    const files = new ArtifactFolder(folder);
    await mkdir(files.uploads, { recursive: true, mode: 0o700 });
    return files;
  }

  async write(
    id: string,
    content: AsyncIterable<Uint8Array>,
    { size }: { size: number; type: string },
  ): Promise<void> {
    const file = this.of(id);
    const upload = join(this.uploads, randomUUID());
    try {
      await writeFile(upload, content, size);
      await storing(async () => {
        await rename(upload, file);
        await syncFolder(this.folder);
      });
    } finally {
      await rm(upload, { force: true });
    }
  }

  async read(id: string, { start, end }: { start: number; end: number }): Promise<Readable> {
    const handle = await open(this.of(id), 'r').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new ArtifactMissingError(id, error) : storageError(error);
    });
    try {
      const { size } = await handle.stat();
      if (end >= size) throw new ArtifactStorageError(`the file of artifact ${id} has only ${size} bytes`);
      return handle.createReadStream({ start, end, highWaterMark: CHUNK_BYTES });
    } catch (error) {
      await handle.close();
      throw storageError(error);
    }
  }

  remove(id: string): Promise<void> {
    return storing(() => rm(this.of(id), { force: true }));
  }

  freeBytes(): Promise<number> {
    return storing(() => freeBytesOf(this.folder));
  }

  removeAbandoned(): Promise<void> {
    return storing(async () => {
      for (const name of await readdir(this.uploads)) {
        const upload = join(this.uploads, name);
        // Another process may remove the file in the meantime.
        const modifiedAt = (await stat(upload).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY;
        if (modifiedAt < Date.now() - ABANDONED_MS) await rm(upload, { force: true });
      }
    });
  }

  private of(id: string): string {
    if (!ID.test(id) || id === UPLOADS)
      throw new ArtifactStorageError(`${JSON.stringify(id)} cannot be the identifier of an artifact`);
    return join(this.folder, id);
  }
}

/** Writes a new file of exactly this size, which is on disk when this resolves. */
async function writeFile(path: string, content: AsyncIterable<Uint8Array>, size: number): Promise<void> {
  await using handle = await storing(() => open(path, 'wx', 0o600));
  let written = 0;
  let unsynced = 0;
  for await (const chunk of content) {
    written += chunk.length;
    if (written > size) break;
    await storing(() => handle.writeFile(chunk));
    unsynced += chunk.length;
    if (unsynced < SYNC_BYTES) continue;
    await storing(() => handle.datasync());
    unsynced = 0;
  }
  if (written !== size) {
    const found = written > size ? 'more' : `only ${written}`;
    throw new ArtifactStorageError(`the content should have ${size} bytes, and it has ${found}`);
  }
  await storing(() => handle.sync());
}

/** Performs an operation of the file system. @throws ArtifactStorageError */
async function storing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error);
  }
}

function storageError(error: unknown): Error {
  if (error instanceof ArtifactStorageError || error instanceof ArtifactMissingError) return error;
  const message = isDiskFull(error)
    ? 'the disk of the artifacts is full'
    : 'the folder of the artifacts cannot be used';
  return new ArtifactStorageError(message, error);
}
