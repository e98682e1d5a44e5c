import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { partialName } from '../../../contract/http/phone-file.ts';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError } from '../adb/adb-socket.ts';
import { shellLine } from '../adb/quote.ts';
import { shellEach } from '../adb/shell-batch.ts';
import { failureOf } from '../adb/shell-result.ts';
import type { Entries } from '../journal-entries.ts';
import { storageRoot } from './storage-root.ts';

const REMOVE_TIMEOUT_MS = 60_000;
const MEDIA =
  /\.(?:3gp|aac|avi|avif|bmp|flac|gif|heic|heif|jpe?g|m4a|m4v|mkv|mov|mp3|mp4|ogg|opus|png|svg|wav|webm|webp)$/i;

/** The temporary name under which a file is written: in its folder, and the same after a restart of the host. */
export function partialPath(path: string): string {
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return posix.join(posix.dirname(path), partialName(hash));
}

/**
 * Tells Android that pictures, videos or music files appeared or disappeared, so that the gallery shows what is there.
 * A phone that refuses it is tolerated: many look for new files themselves.
 */
export async function scanMedia(
  device: AdbDevice,
  paths: readonly string[],
  user: number,
  signal: AbortSignal,
): Promise<void> {
  const lines = paths
    .filter((path) => MEDIA.test(path))
    .map((path) => {
      const url = `file://${path.split('/').map(encodeURIComponent).join('/')}`;
      const action = ['-a', 'android.intent.action.MEDIA_SCANNER_SCAN_FILE', '-d', url];
      // Since Android 8 receivers that are not running are left out by default (AOSP IntentCmd, Intent.java).
      return shellLine('am', 'broadcast', '--user', user, '--receiver-include-background', ...action);
    });
  if (lines.length > 0) await shellEach(device, lines, { signal, timeoutMs: REMOVE_TIMEOUT_MS });
}

/**
 * Removes the files that a session pushed, also incomplete ones, and the folders that it created if they are empty.
 * @throws AdbError when a file cannot be removed, or the shared storage is not there
 */
export async function removePushed(
  device: AdbDevice,
  { pushed, folders }: Entries,
  user: number,
  signal: AbortSignal,
): Promise<void> {
  if (pushed.length === 0 && folders.length === 0) return;
  // Fails while the storage is not mounted, in which case nothing could be removed.
  await storageRoot(device, user, signal);
  const paths = pushed.flatMap((path) => [path, partialPath(path)]);
  const options = { signal, timeoutMs: REMOVE_TIMEOUT_MS };
  const removals = await shellEach(
    device,
    paths.map((path) => shellLine('rm', '-f', path)),
    options,
  );
  const failure = removals.map(failureOf).find((found) => found !== null);
  if (failure !== undefined) throw new AdbError(`a pushed file could not be removed: ${failure}`);
  // The deepest first. A folder that contains something else stays.
  const deepest = folders.toSorted((a, b) => b.length - a.length);
  await shellEach(
    device,
    deepest.map((path) => shellLine('rmdir', path)),
    options,
  );
  await scanMedia(device, pushed, user, signal);
}
