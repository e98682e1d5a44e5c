import { createHash } from 'node:crypto';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError } from '../adb/adb-socket.ts';
import { shellLine } from '../adb/quote.ts';
import { SCRCPY_VERSION, type ScrcpyServerFile } from '../scrcpy-server.ts';

/** Where the phone's shell may write, and other apps may not. */
const FOLDER = '/data/local/tmp';
/** A shell's exit code for a program that is not there. */
const NOT_FOUND = 127;

/**
 * Sees to it that the server's file is on the phone, whole: pushes it when its hash there is another. Answers its path.
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
  throw new AdbError('the file that was pushed to the phone is not what it should be; is its storage full?');
}

/** Phones before Android 9 have no `sha256sum`; `sha1sum` says as well whether all of the file has come. */
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
