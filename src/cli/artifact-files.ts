import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PhoneboothClient } from '../client/phonebooth-client.ts';
import { ARTIFACT_NAME, type Artifact } from '../contract/http/artifact.ts';

const NAME = new RegExp(ARTIFACT_NAME);
const ID = /^[\w-]{1,100}$/;
/** A download fails after this long without progress. */
const STALL_MS = 60_000;

export interface SaveOptions {
  /** Whether files that exist are replaced. */
  force?: boolean;
  signal?: AbortSignal;
  /** Called with the number of bytes of the artifact that are in its file. */
  onProgress?: (artifact: Artifact, bytes: number) => void;
}

export interface SavedArtifact {
  name: string;
  file: string;
  size: number;
  /** false: the file was there already, with this size. */
  downloaded: boolean;
}

/** Name of the folder for the artifacts of a session. An id is not trusted to be a valid name. */
export const folderName = (sessionId: string): string => sessionId.replaceAll(/[^\w-]/g, '_');

type Api = Pick<PhoneboothClient, 'downloadArtifact'>;

/**
 * Downloads artifacts to a folder. The bytes of a failed download are kept beside the file, and the next download
 * resumes it.
 * @throws Error when the service names a file outside of the folder, or a file with another size exists
 */
export async function saveArtifacts(
  api: Api,
  { sessionId, folder, artifacts }: { sessionId: string; folder: string; artifacts: Artifact[] },
  options: SaveOptions = {},
): Promise<SavedArtifact[]> {
  const saved: SavedArtifact[] = [];
  await mkdir(folder, { recursive: true });
  for (const artifact of artifacts) {
    const { name, id, size } = artifact;
    if (!NAME.test(name) || !ID.test(id))
      throw new Error(`the service named an artifact ${JSON.stringify(name)}, which is not a valid name`);
    const file = join(folder, name);
    const downloaded = !(await isThere(file, artifact, options));
    if (downloaded) await download(api, sessionId, artifact, file, options);
    saved.push({ name, file, size, downloaded });
  }
  return saved;
}

/** @throws Error when the path exists and must not be replaced */
async function isThere(file: string, { size }: Artifact, { force = false }: SaveOptions): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  if (!found || (force && found.isFile())) return false;
  if (found.isFile() && found.size === size) return true;
  throw new Error(
    found.isFile()
      ? `${file} exists already with a different size; choose another folder, or replace it with --force`
      : `${file} exists already and is not a file; choose another folder`,
  );
}

async function download(
  api: Api,
  sessionId: string,
  artifact: Artifact,
  file: string,
  { force = false, signal, onProgress }: SaveOptions,
): Promise<void> {
  const { id, name, size } = artifact;
  // The id distinguishes the partial files of several sessions.
  const partial = `${file}.${id}.part`;
  if (force) await rm(partial, { force: true });
  const start = await usableSize(partial, size);
  const stall = new AbortController();
  const either = signal ? AbortSignal.any([signal, stall.signal]) : stall.signal;
  const arm = () => setTimeout(() => stall.abort(), STALL_MS);
  let timer = arm();
  let received = start;
  try {
    await using handle = await open(partial, start > 0 ? 'a' : 'w');
    if (start < size) {
      const { bytes } = await api.downloadArtifact(sessionId, id, { start, signal: either });
      for await (const chunk of bytes) {
        clearTimeout(timer);
        timer = arm();
        received += chunk.length;
        if (received > size) throw new Error(`the service sent more than the ${size} bytes of ${name}`);
        await handle.writeFile(chunk);
        onProgress?.(artifact, received);
      }
    }
    if (received < size) throw new Error(`the service sent ${received} of ${size} bytes`);
    await rename(partial, file);
  } catch (error) {
    signal?.throwIfAborted();
    const { message } = error as Error;
    const why = stall.signal.aborted ? `there was no progress for ${STALL_MS / 1000} s` : message;
    throw new Error(`the download of ${name} was interrupted: ${why}. Repeat the command to resume it`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the number of bytes of an earlier download, and removes its file if it cannot be resumed. */
async function usableSize(partial: string, size: number): Promise<number> {
  const found = await stat(partial).catch(() => null);
  if (!found) return 0;
  if (found.isFile() && found.size <= size) return found.size;
  await rm(partial, { force: true });
  return 0;
}
