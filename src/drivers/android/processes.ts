import { setTimeout as delay } from 'node:timers/promises';
import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';

/** The user that adb's shell runs as (AID_SHELL, AOSP android_filesystem_config.h). */
const SHELL_UID = 2000;
const INIT = 1;
const ROUNDS = 6;
const ROUND_MS = 100;
/** Maximum number of processes that one command signals, so that the command line stays short. */
const MAX_SIGNALLED = 1_000;
const MAX_NAMED = 3;

/**
 * Lists every process from files that no process can forge. `ps` is not used: it takes the user from the owner of the
 * folder in /proc, which is root for a process that has made itself undumpable, and Android 7 has a different `ps`.
 */
const LIST = "echo $$ $PPID; grep -H '^Uid:' /proc/[0-9]*/status; cat /proc/[0-9]*/stat";

export interface PhoneProcess {
  pid: number;
  parent: number;
  name: string;
  /** Start time in clock ticks after the boot. It distinguishes a process from a later one with the same pid. */
  startedAt: string;
  /** Real, effective, saved and file system user ids. */
  uids: number[];
}

export interface ProcessList {
  /** Pids of the shell that listed the processes (`shell`) and of adb's daemon, which started it (`daemon`). */
  shell: number;
  daemon: number;
  processes: PhoneProcess[];
}

/** The shell user's processes at the start of a session, by `identityOf`. */
export type Baseline = string[];

const identityOf = ({ pid, startedAt }: PhoneProcess) => `${pid} ${startedAt}`;

export const isBaseline = (value: unknown): value is Baseline =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string' && /^\d+ \d+$/.test(entry));

async function listProcesses(device: AdbDevice, signal: AbortSignal): Promise<ProcessList> {
  const { stdout } = await device.shell(LIST, { signal });
  const list = parseProcesses(stdout.toString('utf8'));
  // Processes that end during the listing make the commands print errors. The shell that runs the listing cannot be
  // among them, so its presence shows that the list is usable.
  if (!list.processes.some(({ pid }) => pid === list.shell))
    throw new AdbError('the processes on the phone could not be listed');
  return list;
}

/** Source: Linux, proc_pid_stat(5) and proc_pid_status(5). The kernel escapes newlines in names. */
export function parseProcesses(text: string): ProcessList {
  const lines = text.split('\n');
  const [shell = Number.NaN, daemon = Number.NaN] = (lines[0] ?? '').trim().split(' ').map(Number);
  const uids = new Map<number, number[]>();
  const processes: PhoneProcess[] = [];
  for (const line of lines.slice(1)) {
    const [, owner, ids] = /^\/proc\/(\d+)\/status:Uid:\s*([\d\s]+)$/.exec(line) ?? [];
    if (owner !== undefined && ids !== undefined)
      uids.set(Number(owner), ids.trim().split(/\s+/).map(Number));
    const [, pid, name, state, rest] = /^(\d+) \((.*)\) (\S) (.*)$/.exec(line) ?? [];
    if (pid === undefined || name === undefined || rest === undefined || state === 'Z') continue;
    const fields = rest.split(' ');
    // The fourth field is the parent, the 22nd the start time. `rest` begins with the fourth field.
    const process = { pid: Number(pid), parent: Number(fields[0]), name, startedAt: fields[18] ?? '' };
    processes.push({ ...process, uids: uids.get(process.pid) ?? [] });
  }
  return { shell, daemon, processes };
}

/** The processes of the shell's user, without those that produced the list. */
export function shellProcesses({ shell, daemon, processes }: ProcessList): PhoneProcess[] {
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  return processes.filter(({ pid, parent, uids }) => {
    if (!uids.includes(SHELL_UID) || pid === daemon || pid === shell || parent === shell) return false;
    // Zygote, which runs as root, starts Android's own package for the shell (com.android.shell).
    const parentUids = byPid.get(parent)?.uids ?? [];
    return parent === INIT || !(parentUids.length > 0 && parentUids.every((uid) => uid === 0));
  });
}

/** @throws AdbError, or the signal's reason. */
export async function readBaseline(device: AdbDevice, signal: AbortSignal): Promise<Baseline> {
  return shellProcesses(await listProcesses(device, signal)).map(identityOf);
}

/**
 * Kills every process of the shell's user that is not in the baseline, including those started in the background,
 * with `nohup` or with `setsid`. All of them are stopped first, so that none can start a replacement.
 * @throws AdbError when some of them cannot be killed, or the signal's reason.
 */
export async function killSince(device: AdbDevice, baseline: Baseline, signal: AbortSignal): Promise<void> {
  for (let round = 1; ; round++) {
    const list = shellProcesses(await listProcesses(device, signal));
    const started = list.filter((process) => !baseline.includes(identityOf(process)));
    if (started.length === 0) return;
    if (round === ROUNDS) throw new AdbError(`${namesOf(started)} of the last session could not be stopped`);
    const pids = started
      .slice(0, MAX_SIGNALLED)
      .map(({ pid }) => pid)
      .join(' ');
    await device.shell(`kill -STOP ${pids}; kill -KILL ${pids}`, { signal });
    await delay(ROUND_MS, undefined, { signal });
  }
}

function namesOf(processes: PhoneProcess[]): string {
  const named = processes.slice(0, MAX_NAMED).map(({ name, pid }) => `${name} (process ${pid})`);
  const more = processes.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}
