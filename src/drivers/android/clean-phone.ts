import { posix } from 'node:path';
import { ANDROID_KEYS } from '../../contract/sockets/android-keys.ts';
import { encodeScrcpyControl } from '../../contract/sockets/scrcpy-control.ts';
import type { Log } from '../../util/log.ts';
import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';
import { shellLine } from './adb/quote.ts';
import { shellEach } from './adb/shell-batch.ts';
import { complaintIn, failureOf } from './adb/shell-result.ts';
import { cleanShell } from './clean-shell.ts';
import { SHELL_CONDITION_NAMES } from './conditions/android-conditions.ts';
import { restoreCondition } from './conditions/change-conditions.ts';
import { removePushed } from './files/pushed-files.ts';
import type { Journal } from './journal.ts';
import type { Entries } from './journal-entries.ts';
import { listPackages } from './packages.ts';
import { bootIdOf } from './phone-description.ts';
import { RESTARTING } from './phone-problems.ts';
import { installServer } from './scrcpy/install-server.ts';
import { ScrcpyRun } from './scrcpy/run.ts';
import type { ScrcpyServerFile } from './scrcpy/server-file.ts';
import { lockProblem } from './screen-lock.ts';
import { readKeptSettings, writeSettings } from './settings.ts';
import { listTasks, removeTasks } from './tasks.ts';

const CLIPBOARD_TIMEOUT_MS = 8_000;
const UNINSTALL_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 20_000;

export interface CleanOptions {
  device: AdbDevice;
  journal: Journal;
  /** Android's id of the user whose screen is shown. */
  user: number;
  /** Android's API level. */
  sdk: number;
  /** Whether the phone is restarted after cleaning. */
  restarts: boolean;
  /** Called just before the phone is restarted, with the identifier of the boot that ends. */
  onRestart: (bootId: string) => void;
  file: ScrcpyServerFile;
  log: Log;
  signal: AbortSignal;
}

/**
 * Undoes what a session did. It can safely be repeated, because whatever failed is still in the journal. A screen
 * lock that the session set must be removed by the operator.
 * @throws AdbError, or the signal's reason.
 */
export async function cleanPhone(options: CleanOptions): Promise<void> {
  const { device, journal, restarts, onRestart, signal } = options;
  const entries = await journal.read();
  if (!entries) return;
  const bootId = await bootIdOf(device, signal);
  const hasRestarted = entries.restartedFrom !== null && entries.restartedFrom !== bootId;
  if (!hasRestarted) await undo(options, entries, bootId);
  const locked = await lockProblem(device, signal);
  if (locked) throw new AdbError(locked);
  if (restarts && !hasRestarted && bootId !== '') {
    await journal.markRestart(bootId);
    onRestart(bootId);
    await device.restart(signal);
    throw new AdbError(RESTARTING);
  }
  await journal.clear();
}

/**
 * Removes what the session left in the shell, its apps, the settings that it changed, its mock location, the running
 * apps and the clipboard's content. Then shows the home screen and turns the screen off.
 */
async function undo(options: CleanOptions, entries: Entries, bootId: string): Promise<void> {
  const { device, sdk, log, signal } = options;
  // A borrower may have switched to another user, whose apps are not in the journal's list.
  const user = entries.user ?? options.user;
  await cleanShell({ device, boot: entries.boot, bootId, log, signal });
  const stacks = await listTasks(device, signal);
  const own = await uninstall(device, entries, user, signal);
  await removeExpansions(device, entries, signal);
  await removePushed(device, entries, user, signal);
  await removeTasks(device, stacks, sdk, signal);
  const open = stacks.flatMap(({ packages }) => packages);
  await stopApps(device, [...own, ...entries.launched, ...open], user, signal);
  await stopMockLocation(device, entries, user, signal);
  await clearClipboard(options).catch((error: unknown) => {
    signal.throwIfAborted();
    const isRefused = error instanceof AdbError || (error as Error).name === 'TimeoutError';
    if (!isRefused || device.state !== 'device') throw error;
    // The phone can be borrowed nevertheless; docs/android.md lists what may be left on it.
    log.warn({ err: error }, 'clipboard of a phone could not be cleared');
  });
  await restoreConditions(options, entries, user);
  await restoreSettings(device, entries, user, signal);
  const keys = [ANDROID_KEYS.HOME, ANDROID_KEYS.SLEEP];
  await device.shell(shellLine('input', 'keyevent', ...keys), { signal });
}

async function stopMockLocation(
  device: AdbDevice,
  { location, mockLocation }: Entries,
  user: number,
  signal: AbortSignal,
): Promise<void> {
  if (!location) return;
  const words = ['--user', user, 'com.android.shell', 'android:mock_location', mockLocation ?? 'default'];
  const lines = ['cmd location providers remove-test-provider gps', shellLine('appops', 'set', ...words)];
  const [, permission] = await shellEach(device, lines, { signal });
  const failure = failureOf(permission!);
  if (failure !== null)
    throw new AdbError(`the permission for mock locations could not be restored: ${failure}`);
}

/**
 * Removes the apps that the driver installed, and any others that were added since the session began, over adb or
 * from a store on the phone. Returns the remaining apps that are not part of the system.
 */
async function uninstall(
  device: AdbDevice,
  { installed, present }: Entries,
  user: number,
  signal: AbortSignal,
): Promise<string[]> {
  const before = await listPackages(device, user, signal);
  const added = present ? before.own.filter((name) => !present.includes(name)) : [];
  const names = [...new Set([...installed, ...added])].filter((name) => before.all.includes(name));
  if (names.length === 0) return before.own;
  const complaints = new Map<string, string>();
  for (const name of names) complaints.set(name, await uninstallOne(device, name, user, signal));
  const after = await listPackages(device, user, signal);
  const left = after.all.find((name) => complaints.has(name));
  if (left !== undefined) throw new AdbError(`${left} could not be uninstalled: ${complaints.get(left)}`);
  return after.own;
}

/**
 * Removes an app for every user, because adb installs for all of them. Android rejects that while one of them is a
 * locked work profile or Samsung's Secure Folder. In this case the app is removed for the user whose screen is shown.
 */
async function uninstallOne(
  device: AdbDevice,
  name: string,
  user: number,
  signal: AbortSignal,
): Promise<string> {
  let complaint = '';
  for (const flags of [[], ['--user', user]]) {
    const line = shellLine('pm', 'uninstall', ...flags, name);
    const { stdout, stderr } = await device.shell(line, { signal, timeoutMs: UNINSTALL_TIMEOUT_MS });
    if (/^Success/m.test(stdout.toString('utf8'))) return '';
    complaint = complaintIn(`${stderr}\n${stdout}`) ?? 'the phone gave no reason';
  }
  return complaint;
}

/**
 * Android removes expansion files together with their app. What remains belongs to an app that was there before the
 * session, or to one whose install failed.
 */
async function removeExpansions(
  device: AdbDevice,
  { expansions }: Entries,
  signal: AbortSignal,
): Promise<void> {
  for (const path of expansions) {
    const { exitCode, stderr } = await device.shell(shellLine('rm', '-f', path), { signal });
    if (exitCode !== 0) throw new AdbError(`${path} could not be removed: ${stderr.trim()}`);
    // Removes the folder only if it is empty.
    await device.shell(shellLine('rmdir', posix.dirname(path)), { signal });
  }
}

/** Restores the conditions that the session changed, and leaves those that are as before. */
async function restoreConditions(
  { device, sdk, signal }: CleanOptions,
  { conditions }: Entries,
  user: number,
): Promise<void> {
  for (const name of SHELL_CONDITION_NAMES) {
    const before = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
    if (!before) continue;
    await restoreCondition({ device, sdk, user }, name, before, signal).catch((error: unknown) => {
      if (!(error instanceof AdbError)) throw error;
      throw new AdbError(`${name} could not be restored: ${error.message}`);
    });
  }
}

/** Writes only the settings that differ, because some makers allow reading a setting but not writing it. */
async function restoreSettings(
  device: AdbDevice,
  { settings }: Entries,
  user: number,
  signal: AbortSignal,
): Promise<void> {
  const names = Object.keys(settings);
  if (names.length === 0) return;
  const now = await readKeptSettings(device, user, signal, names);
  const changed = names.filter((name) => now.values[name] !== settings[name]);
  const wanted = Object.fromEntries(changed.map((name) => [name, settings[name]!]));
  await writeSettings(device, user, wanted, signal);
}

/**
 * Stops every app that is not part of the system, and the system apps that the session opened. `cmd` calls Android
 * directly, whereas `am` of Android 7 starts a virtual machine for each command, which takes most of a second on an
 * old phone.
 */
async function stopApps(
  device: AdbDevice,
  packages: string[],
  user: number,
  signal: AbortSignal,
): Promise<void> {
  const lines = [...new Set(packages)].map((name) => {
    const words = ['force-stop', '--user', user, name];
    return `${shellLine('cmd', 'activity', ...words)} || ${shellLine('am', ...words)}`;
  });
  const results = await shellEach(device, lines, { signal, timeoutMs: STOP_TIMEOUT_MS });
  const failed = results.find(({ exitCode }) => exitCode !== 0);
  if (failed) throw new AdbError(`an app could not be stopped: ${failureOf(failed)}`);
}

/** Only code on the phone may access the clipboard, so this starts scrcpy's server without a screen. */
async function clearClipboard({ device, file, log, signal }: CleanOptions): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(CLIPBOARD_TIMEOUT_MS)]);
  const cleared = Promise.withResolvers<void>();
  const path = await installServer(device, file, deadline);
  const run = await ScrcpyRun.start(
    {
      device,
      path,
      screen: null,
      encoder: null,
      onPacket: () => {},
      onMessage: (message) => message.type === 'clipboard-set' && cleared.resolve(),
      log,
    },
    deadline,
  );
  const late = () => run.close();
  deadline.addEventListener('abort', late, { once: true });
  try {
    run.send(encodeScrcpyControl({ type: 'set-clipboard', sequence: 1n, text: '', paste: false }));
    const over = run.ended.then((complaint) => {
      throw new AdbError(`the clipboard could not be cleared: ${complaint || 'the phone did not answer'}`);
    });
    over.catch(() => {});
    await Promise.race([cleared.promise, over]);
    // The server acknowledges even a text that Android rejected, after it printed the error (scrcpy Controller.java,
    // setClipboard).
    const complaint = await run.finish();
    if (complaint) throw new AdbError(complaint);
  } finally {
    deadline.removeEventListener('abort', late);
    run.close();
  }
}
