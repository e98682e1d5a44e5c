import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';
import { shellLine } from './adb/quote.ts';
import { shellEach } from './adb/shell-batch.ts';
import { failureOf, type ShellResult } from './adb/shell-result.ts';

/** The installed packages of one user of the phone. */
export interface PackageLists {
  all: string[];
  /** Packages that are not part of the system image. */
  own: string[];
}

/** Android's own package, which exists for every user of every phone. */
const FRAMEWORK = 'android';
const LIST_TIMEOUT_MS = 20_000;

/**
 * Reads the installed packages of a user of the phone. Uninstalling depends on the answer, so it is checked for
 * consistency: each list succeeds and holds only package names, the framework is in it, and the system's packages and
 * the others together are the complete list. The user is named because otherwise Android may query all users, and
 * throws if one of them is a locked work profile or Samsung's Secure Folder. Source: AOSP
 * PackageManagerShellCommand.java, runListPackages.
 * @throws AdbError when the answer is not reliable, or the signal's reason.
 */
export async function listPackages(
  device: AdbDevice,
  user: number,
  signal: AbortSignal,
): Promise<PackageLists> {
  const line = (...flags: string[]) => shellLine('pm', 'list', 'packages', ...flags, '--user', user);
  const results = await shellEach(device, [line(), line('-s'), line('-3')], {
    signal,
    timeoutMs: LIST_TIMEOUT_MS,
  });
  const [all, system, own] = results.map(namesIn) as [string[], string[], string[]];
  if (!all.includes(FRAMEWORK) || !system.includes(FRAMEWORK))
    throw unreadable(`the package ${FRAMEWORK} is missing`);
  const together = new Set([...system, ...own]);
  if (together.size !== all.length || all.some((name) => !together.has(name)))
    throw unreadable('its lists contradict each other');
  return { all, own };
}

const PACKAGE_LINE = /^package:([A-Za-z][\w.]*)$/;
/**
 * Package names have at most 223 characters (AOSP FrameworkParsingPackageUtils.java). The bound is looser, but
 * excludes other text.
 */
const PACKAGE_NAME = /^[A-Za-z][\w.]{0,254}$/;

export function isPackageName(name: unknown): name is string {
  return typeof name === 'string' && PACKAGE_NAME.test(name);
}

function namesIn(result: ShellResult): string[] {
  const failure = failureOf(result);
  if (failure !== null) throw unreadable(failure);
  const lines = result.stdout.toString('utf8').split(/\r?\n/);
  const names = lines.filter((line) => line !== '').map((line) => PACKAGE_LINE.exec(line)?.[1]);
  if (!names.every(isPackageName)) throw unreadable('it contains entries that are not package names');
  return [...new Set(names)];
}

const unreadable = (why: string) =>
  new AdbError(`the list of the phone's apps could not be read: ${why}. Phonebooth retries.`);
