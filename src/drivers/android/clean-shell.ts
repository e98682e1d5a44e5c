import type { Log } from '../../util/log.ts';
import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError, readAndClose, readExactly } from './adb/adb-socket.ts';
import { shellLine } from './adb/quote.ts';
import { shellEach } from './adb/shell-batch.ts';
import { failureOf } from './adb/shell-result.ts';
import type { BootNote } from './journal-entries.ts';
import { killSince } from './processes.ts';

const REVERSE_TIMEOUT_MS = 5_000;
const EMPTY_TIMEOUT_MS = 20_000;
/** The only folder in which the shell's user may write files and run programs. */
const SHELL_FOLDER = '/data/local/tmp';
const MAX_NAMED = 3;

export interface ShellRemains {
  device: AdbDevice;
  /** The state that the session found when it began; null: not known. */
  boot: BootNote | null;
  /** The phone's current boot identifier. */
  bootId: string;
  log: Log;
  signal: AbortSignal;
}

/**
 * Removes what a session left in the shell: its processes, its files in the shell's folder, and its port forwarding
 * rules. The processes are killed first, because they could undo the rest.
 * @throws AdbError, or the signal's reason.
 */
export async function cleanShell({ device, boot, bootId, log, signal }: ShellRemains): Promise<void> {
  // If the phone has restarted since, none of the session's processes is left.
  if (boot?.id === bootId && boot.processes) await killSince(device, boot.processes, signal);
  else if (boot?.id === bootId)
    log.warn({}, 'processes of a session were not stopped: the processes before it are unknown');
  await emptyShellFolder(device, signal);
  await removeReverses(device, signal);
  const before = boot?.forwards ?? null;
  for (const local of before ? await device.forwards(signal) : [])
    if (!before?.includes(local)) await device.removeForward(local, signal);
}

/** Removes the scrcpy server's file too, because a session may have replaced it with another one. */
async function emptyShellFolder(device: AdbDevice, signal: AbortSignal): Promise<void> {
  const content = ['find', SHELL_FOLDER, '-mindepth', 1, '-maxdepth', 1];
  const lines = [
    // Files can only be removed from a folder that its owner may write.
    shellLine('chmod', '-R', 'u+rwX', SHELL_FOLDER),
    shellLine(...content, '-exec', 'rm', '-rf', '{}', '+'),
    shellLine(...content),
  ];
  const results = await shellEach(device, lines, { signal, timeoutMs: EMPTY_TIMEOUT_MS });
  const listing = results[2]!;
  const left = listing.stdout.toString('utf8').split('\n').filter(Boolean);
  if (left.length > 0)
    throw new AdbError(`${left.slice(0, MAX_NAMED).join(', ')} could not be removed from the phone`);
  const failure = failureOf(listing);
  if (failure !== null) throw new AdbError(`${SHELL_FOLDER} could not be emptied: ${failure}`);
}

/**
 * Removes the reverse forwards that a tunnel leaves behind when its host crashes. They would otherwise lead to
 * whatever program uses the host's ports now.
 */
async function removeReverses(device: AdbDevice, signal: AbortSignal): Promise<void> {
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(REVERSE_TIMEOUT_MS)]);
    const socket = await device.open('reverse:killforward-all', deadline);
    await readAndClose(socket, (answer) => readExactly(answer, 4), deadline);
  } catch (error) {
    signal.throwIfAborted();
    // The adb server's message for a service that the phone does not have.
    if (!(error instanceof AdbError) || error.message !== 'closed') throw error;
  }
}
