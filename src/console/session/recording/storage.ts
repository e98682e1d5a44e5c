import { BufferTarget, StreamTarget, type StreamTargetChunk } from 'mediabunny';
import type { RecordingFile, RecordingStorage } from '../../../client/recording/recording-storage.ts';

/** Where a recording goes in this browser. */
export interface BrowserStorage extends RecordingStorage<Blob> {
  readonly isOnDisk: boolean;
}

const FOLDER = 'recordings';
/** Files that were handed over are still read while the browser copies them to the downloads. */
const KEPT_MS = 10 * 60_000;
const MOST_ON_DISK = 3 * 2 ** 30;
/** A buffer that grows is copied as it does, so that about three times of this is in use at its end. */
const MOST_IN_MEMORY = 128 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;

/**
 * The browser's own file system where it has one, so that a recording needs no memory; else memory, with a bound. Browsers
 * have it in secure contexts, which plain HTTP is not, and some keep it from private windows.
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
    // The downloads often are on the same disk, and the copy there needs its place too.
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

/** What earlier recordings left: files that were saved long ago, or never were because the page was closed. */
async function removeOld(folder: FileSystemDirectoryHandle): Promise<void> {
  for await (const [name, handle] of folder.entries()) {
    if (handle.kind !== 'file') continue;
    const { lastModified } = await handle.getFile();
    if (Date.now() - lastModified < KEPT_MS) continue;
    // One that another tab writes to is locked, and stays.
    await folder.removeEntry(name).catch(() => {});
  }
}
