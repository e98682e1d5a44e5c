import { createHash } from 'node:crypto';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError } from '../adb/adb-socket.ts';
import { shellLine } from '../adb/quote.ts';
import { SCRCPY_VERSION, type ScrcpyServerFile } from './server-file.ts';

/** A folder that the phone's shell can write to and other apps cannot. */
const FOLDER = '/data/local/tmp';
/** A shell's exit code for a program that does not exist. */
const NOT_FOUND = 127;

/**
 * Ensures that the complete server file is on the phone: pushes it when the hash there differs. Returns its path.
 * @throws AdbError
 */
export async function installServer(
  device: AdbDevice,
  file: ScrcpyServerFile,
  signal: AbortSignal,
): Promise<string> {
  const path = `${FOLDER}/phonebooth-scrcpy-${SCRCPY_VERSION}.jar`;
  if (await isThere(device, path, file, signal)) return path;
  await device.push(path, file.content, signal);
  if (await isThere(device, path, file, signal)) return path;
  throw new AdbError(
    'the file that was pushed to the phone is incomplete or damaged; check the free storage of the phone',
  );
}

/** Phones before Android 9 have no `sha256sum`; `sha1sum` also shows whether the complete file has arrived. */
async function isThere(
  device: AdbDevice,
  path: string,
  file: ScrcpyServerFile,
  signal: AbortSignal,
): Promise<boolean> {
  const sum = (program: string) => device.shell(shellLine(program, path), { signal });
  const { exitCode, stdout } = await sum('sha256sum');
  if (exitCode !== NOT_FOUND) return stdout.toString('latin1').startsWith(file.sha256);
  const sha1 = createHash('sha1').update(file.content).digest('hex');
  return (await sum('sha1sum')).stdout.toString('latin1').startsWith(sha1);
}
