import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';

/** The packages that are not the system's, as the phone lists them: of its first user. @throws AdbError when the phone does not say */
export async function ownPackages(device: AdbDevice, signal: AbortSignal): Promise<string[]> {
  const { exitCode, stdout, stderr } = await device.shell('pm list packages -3', { signal });
  if (exitCode !== 0) throw new AdbError(`the phone does not say which apps it has: ${stderr.trim()}`);
  return [...stdout.toString('utf8').matchAll(/^package:(\S+)/gm)].map((match) => match[1]!);
}
