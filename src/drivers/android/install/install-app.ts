import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type AppPackage, DriverError, type InstallOptions } from '../../driver.ts';
import type { AdbDevice } from '../adb/adb-device.ts';
import { shellLine } from '../adb/quote.ts';
import type { Journal } from '../journal.ts';
import { chooseApks, type PhoneTraits } from './choose-apks.ts';
import { installApks } from './install-apks.ts';

/** Copying takes most of the time; the remaining percentages are the phone's own work. */
const COPIED_PERCENT = 90;
/** Folder in which apps look for their expansion files (android.content.Context, getObbDir). */
const EXPANSIONS = '/sdcard/Android/obb';
/** A list such as `en-US,de-DE`, or a single locale. */
const LOCALES = /^[a-z]{2,3}(?:[-_,][\w,-]*)?$/;

/**
 * Installs an app on a phone: the splits that the phone needs, and then its expansion files. Everything new is
 * recorded in the journal before it is written to the phone.
 * @throws DriverError with the phone's message (`INSTALL_FAILED_…`), or when the app does not support its processor.
 */
export async function installApp(
  { device, journal, user, sdk }: { device: AdbDevice; journal: Journal; user: number; sdk: number },
  { packageName, files }: Pick<AppPackage, 'packageName' | 'files'>,
  { signal, onProgress }: InstallOptions,
): Promise<void> {
  const all = files.filter((file) => file.endsWith('.apk'));
  const apks = all.length > 1 ? chooseApks(all, await traitsOf(device, signal)) : all;
  const expansions = files.filter((file) => file.endsWith('.obb'));
  const onBytes = await progressOf([...apks, ...expansions], onProgress);
  const { stdout } = await device.shell(shellLine('pm', 'path', '--user', user, packageName), { signal });
  if (!stdout.includes('package:')) await journal.add('installed', packageName);
  await installApks(device, apks, { user, sdk, signal, onBytes });
  for (const file of expansions) {
    const path = `${EXPANSIONS}/${packageName}/${basename(file)}`;
    const { exitCode } = await device.shell(shellLine('ls', path), { signal });
    if (exitCode !== 0) await journal.add('expansions', path);
    await device.push(path, counted(createReadStream(file), onBytes), signal, null);
  }
  onProgress(100);
}

/** The locale that the user chose takes precedence over the factory default. */
async function traitsOf(device: AdbDevice, signal: AbortSignal): Promise<PhoneTraits> {
  const questions = [
    'getprop ro.product.cpu.abilist',
    'settings get system system_locales',
    'getprop persist.sys.locale',
    'getprop ro.product.locale',
    'wm density',
  ];
  const { stdout } = await device.shell(questions.join('; '), { signal });
  const [abis, ...rest] = stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim());
  const locales = rest.find((line) => LOCALES.test(line) && line !== 'null') ?? '';
  // The output lists an override after the physical density; apps see the override.
  const density = Number(/density: (\d+)\D*$/.exec(rest.join(' '))?.[1]);
  if (!abis || !density)
    throw new DriverError(
      'failed',
      'the phone did not report its ABIs and its screen density; try again, or restart it',
    );
  return {
    abis: abis.split(','),
    density,
    languages: locales.split(',').map((locale) => locale.split(/[-_]/)[0]!),
  };
}

/**
 * Returns a function that takes the number of bytes copied and calls `onProgress` with increasing whole percentages.
 */
async function progressOf(files: string[], onProgress: (percent: number) => void) {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let copied = 0;
  let last = -1;
  return (bytes: number) => {
    copied += bytes;
    const percent = Math.floor((copied / total) * COPIED_PERCENT);
    if (percent <= last) return;
    last = percent;
    onProgress(percent);
  };
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    onBytes(chunk.length);
  }
}
