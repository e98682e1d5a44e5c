import { posix } from 'node:path';
import { ANDROID_KEYS } from '../../contract/android-keys.ts';
import type { Log } from '../../util/log.ts';
import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError, readAndClose, readExactly } from './adb/adb-socket.ts';
import { shellLine } from './adb/quote.ts';
import { complaintIn } from './adb/shell-result.ts';
import type { Entries, Journal } from './journal.ts';
import { listPackages } from './packages.ts';
import { setClipboardMessage } from './scrcpy/control-messages.ts';
import { installServer } from './scrcpy/install-server.ts';
import { ScrcpyRun } from './scrcpy/run.ts';
import type { ScrcpyServerFile } from './scrcpy-server.ts';
import { lockProblem } from './screen-lock.ts';
import { readKeptSettings, writeSettings } from './settings.ts';

const CLIPBOARD_TIMEOUT_MS = 8_000;
const REVERSE_TIMEOUT_MS = 5_000;
const UNINSTALL_TIMEOUT_MS = 20_000;
/** A line for the phone's shell has to fit into one message of adb's. */
const STOPS_PER_LINE = 50;

export interface CleanOptions {
  device: AdbDevice;
  journal: Journal;
  /** Android's number for the user whose screen is shown. */
  user: number;
  file: ScrcpyServerFile;
  log: Log;
  signal: AbortSignal;
}

/**
 * Removes what a session left: its reverse tunnels, its apps, the settings it changed, a location of its own, what runs, the clipboard.
 * Then home, and the screen off. Repeating it does no harm: whatever fails is still in the journal. A lock that the
 * session put on the phone is for the operator to take off.
 * @throws AdbError, or the signal's reason.
 */
export async function cleanPhone(options: CleanOptions): Promise<void> {
  const { device, journal, user, log, signal } = options;
  const entries = await journal.read();
  if (!entries) return;
  const run = (...words: (string | number)[]) => device.shell(shellLine(...words), { signal });
  await removeReverses(device, signal);
  const own = await uninstall(device, entries, user, signal);
  await removeExpansions(device, entries, signal);
  await stopApps(device, [...own, ...entries.launched], user, signal);
  if (entries.location) await run('cmd', 'location', 'providers', 'remove-test-provider', 'gps');
  await clearClipboard(options).catch((error: unknown) => {
    signal.throwIfAborted();
    const isRefused = error instanceof AdbError || (error as Error).name === 'TimeoutError';
    if (!isRefused || device.state !== 'device') throw error;
    // The phone can be lent all the same; docs/android.md names what may be left on it.
    log.warn({ error }, 'clipboard of a phone could not be cleared');
  });
  await restoreSettings(device, entries, signal);
  await run('input', 'keyevent', ANDROID_KEYS.HOME);
  await run('input', 'keyevent', ANDROID_KEYS.SLEEP);
  const locked = await lockProblem(device, signal);
  if (locked) throw new AdbError(locked);
  await journal.clear();
}

/** Those that a tunnel left when the host ended in the middle; they would lead to whoever has its ports now. */
async function removeReverses(device: AdbDevice, signal: AbortSignal): Promise<void> {
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(REVERSE_TIMEOUT_MS)]);
    const socket = await device.open('reverse:killforward-all', deadline);
    await readAndClose(socket, (answer) => readExactly(answer, 4), deadline);
  } catch (error) {
    signal.throwIfAborted();
    // What the server says of a service that the phone does not have.
    if (!(error instanceof AdbError) || error.message !== 'closed') throw error;
  }
}

/**
 * Removes what the driver installed, and whatever else has come since the session began: over adb, or from a store on
 * the phone. Returns the apps that stay and are not part of the system.
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
 * Removes an app for every user, since adb installs for all of them. Android refuses that while one of them is a
 * locked work profile or Samsung's Secure Folder; then it is removed for the user whose screen is shown.
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
    complaint = complaintIn(`${stderr}\n${stdout}`) ?? 'the phone did not say why';
  }
  return complaint;
}

/** Android removes them with their app. Left are those of an app that was there before, or was not installed in the end. */
async function removeExpansions(
  device: AdbDevice,
  { expansions }: Entries,
  signal: AbortSignal,
): Promise<void> {
  for (const path of expansions) {
    const { exitCode, stderr } = await device.shell(shellLine('rm', '-f', path), { signal });
    if (exitCode !== 0) throw new AdbError(`${path} could not be removed: ${stderr.trim()}`);
    // Only where nothing else is in it.
    await device.shell(shellLine('rmdir', posix.dirname(path)), { signal });
  }
}

/** Writes only what differs: some makers let a setting be read and not be written. */
async function restoreSettings(device: AdbDevice, { settings }: Entries, signal: AbortSignal): Promise<void> {
  const names = Object.keys(settings);
  if (names.length === 0) return;
  const now = await readKeptSettings(device, signal, names);
  const changed = names.filter((name) => now.values[name] !== settings[name]);
  await writeSettings(device, Object.fromEntries(changed.map((name) => [name, settings[name]!])), signal);
}

/** Everything that is not the system's, and what of the system's the session opened. */
async function stopApps(
  device: AdbDevice,
  packages: string[],
  user: number,
  signal: AbortSignal,
): Promise<void> {
  const names = [...new Set(packages)];
  for (let at = 0; at < names.length; at += STOPS_PER_LINE) {
    const stops = names
      .slice(at, at + STOPS_PER_LINE)
      .map((name) => shellLine('am', 'force-stop', '--user', user, name));
    await device.shell(stops.join('; '), { signal, timeoutMs: 20_000 });
  }
}

/** Only code on the phone may touch the clipboard: scrcpy's server, started without a screen. */
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
    run.send(setClipboardMessage(1n, '', false));
    const over = run.ended.then((complaint) => {
      throw new AdbError(`the clipboard could not be cleared: ${complaint || 'no answer'}`);
    });
    over.catch(() => {});
    await Promise.race([cleared.promise, over]);
    // The server acknowledges a text that Android refused too, behind the error (scrcpy Controller.java, setClipboard).
    const complaint = await run.finish();
    if (complaint) throw new AdbError(complaint);
  } finally {
    deadline.removeEventListener('abort', late);
    run.close();
  }
}
