import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError } from '../adb/adb-socket.ts';
import { shellLine } from '../adb/quote.ts';
import { SCRCPY_VERSION, type ScrcpyServerFile } from '../scrcpy-server.ts';

/** Where the phone's shell may write, and other apps may not. */
const FOLDER = '/data/local/tmp';

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

async function isThere(
  device: AdbDevice,
  path: string,
  file: ScrcpyServerFile,
  signal: AbortSignal,
): Promise<boolean> {
  const { stdout } = await device.shell(shellLine('sha256sum', path), { signal });
  return stdout.toString('latin1').startsWith(file.sha256);
}
