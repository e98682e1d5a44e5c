import { BufferTarget, StreamTarget, type StreamTargetChunk } from 'mediabunny';
import type { RecordingFile, RecordingStorage } from '../../../client/recording/recording-storage.ts';

/** Storage for recordings in this browser. */
export interface BrowserStorage extends RecordingStorage<Blob> {
  readonly isOnDisk: boolean;
}

const FOLDER = 'recordings';
/**
 * Minimum age of a file before it is removed. The gallery of a session plays it until then, and the browser may still be
 * copying a saved file to the downloads.
 */
const KEPT_MS = 3 * 3_600_000;
const MOST_ON_DISK = 3 * 2 ** 30;
/** A buffer is copied while it grows, so the peak memory use is about three times this size. */
const MOST_IN_MEMORY = 128 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;

/**
 * Opens the browser's own file system if available, so that a recording needs no memory. Otherwise uses memory, with
 * a limit. Browsers offer the file system only in secure contexts, which excludes plain HTTP, and some disable it in
 * private windows.
 */
export async function openStorage(): Promise<BrowserStorage> {
  return (await openDisk()) ?? { maxBytes: MOST_IN_MEMORY, isOnDisk: false, create: createInMemory };
}

async function openDisk(): Promise<BrowserStorage | null> {
  try {
    if (!('createWritable' in FileSystemFileHandle.prototype)) return null;
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(FOLDER, { create: true });
    await removeOld(folder);
    const { quota = 0, usage = 0 } = await navigator.storage.estimate();
    // Uses half of the free space, because the copy in the downloads is often on the same disk.
    const maxBytes = Math.min(MOST_ON_DISK, Math.floor((quota - usage) / 2));
    return { maxBytes, isOnDisk: true, create: () => createOnDisk(folder) };
  } catch {
    return null;
  }
}

async function createOnDisk(folder: FileSystemDirectoryHandle): Promise<RecordingFile<Blob>> {
  const handle = await folder.getFileHandle(`${crypto.randomUUID()}.mp4`, { create: true });
  const writable: WritableStream<StreamTargetChunk> = await handle.createWritable();
  return {
    target: new StreamTarget(writable, { chunked: true, chunkSize: CHUNK_BYTES }),
    take: () => handle.getFile(),
  };
}

async function createInMemory(): Promise<RecordingFile<Blob>> {
  const target = new BufferTarget();
  return { target, take: async () => new Blob(target.buffer ? [target.buffer] : [], { type: 'video/mp4' }) };
}

/** Removes files of earlier recordings, which were saved long ago or left over when the page was closed. */
async function removeOld(folder: FileSystemDirectoryHandle): Promise<void> {
  for await (const [name, handle] of folder.entries()) {
    if (handle.kind !== 'file') continue;
    const { lastModified } = await handle.getFile();
    if (Date.now() - lastModified < KEPT_MS) continue;
    // A file that another tab is writing is locked, and stays.
    await folder.removeEntry(name).catch(() => {});
  }
}
