import { SHARED_STORAGE } from '../../../contract/http/phone-file.ts';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError } from '../adb/adb-socket.ts';
import { shellLine } from '../adb/quote.ts';

/**
 * Path of the folder with the shared storage of a user, without symbolic links, such as `/storage/emulated/0`.
 * @throws AdbError when the storage is not mounted, as before the phone has been unlocked for the first time
 */
export async function storageRoot(device: AdbDevice, user: number, signal: AbortSignal): Promise<string> {
  const path = user === 0 ? SHARED_STORAGE : `/storage/emulated/${user}`;
  const { exitCode, stdout } = await device.shell(shellLine('realpath', path), { signal });
  const root = stdout.toString('utf8').trim();
  if (exitCode !== 0 || !/^(?:\/[\w.-]{1,100}){1,10}$/.test(root))
    throw new AdbError('the shared storage of the phone is not available; unlock the phone, then try again');
  return root;
}
