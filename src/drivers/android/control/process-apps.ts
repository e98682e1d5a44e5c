import { shellLine } from '../adb/quote.ts';
import { shellEach } from '../adb/shell-batch.ts';
import { failureOf } from '../adb/shell-result.ts';
import { isPackageName } from '../packages.ts';
import type { PhoneContext } from './phone-context.ts';

/** Far more than a phone runs at a time. The oldest entries are dropped first. */
const MAX_PROCESSES = 10_000;
/** The processes of an app have its package name, which a colon and a name of their own may follow. */
const PROCESS = /^\s*(\d{1,9})\s+([A-Za-z][\w.]{0,254})(?::\S{0,300})?\s*$/;
/** Source: AOSP ProcessList.java, `Start proc 1234:com.example/u0a123 for top-activity`. */
const STARTED = /^Start proc (\d{1,9}):([A-Za-z][\w.]{0,254})(?::[^/]{0,300})?\/u\d/;

/** The packages that the processes of a phone belong to, so that log lines can name their app. */
export class ProcessApps {
  readonly #apps = new Map<number, string>();

  /** Reads the running processes. Android 7 has another `ps`; there, only apps that start later are known. */
  async read({ device, user }: PhoneContext, signal: AbortSignal): Promise<void> {
    const lines = [shellLine('pm', 'list', 'packages', '--user', user), 'ps -A -o PID,NAME'];
    const [packages, processes] = await shellEach(device, lines, { signal });
    if (!packages || !processes || failureOf(packages) !== null || failureOf(processes) !== null) return;
    const names = packages.stdout.toString('utf8').split(/\r?\n/);
    const installed = new Set(names.map((line) => line.replace(/^package:/, '')).filter(isPackageName));
    for (const line of processes.stdout.toString('utf8').split('\n')) {
      const [, pid, name] = PROCESS.exec(line) ?? [];
      // Services of the system have similar names, such as android.hardware.audio.service.
      if (pid !== undefined && name !== undefined && installed.has(name)) this.#add(Number(pid), name);
    }
  }

  /** Reads the message that Android logs for each process that it starts. */
  noticeStart(tag: string, message: string): void {
    if (tag !== 'ActivityManager') return;
    const [, pid, name] = STARTED.exec(message) ?? [];
    if (pid !== undefined && name !== undefined) this.#add(Number(pid), name);
  }

  appOf(pid: number): string | undefined {
    return this.#apps.get(pid);
  }

  #add(pid: number, name: string): void {
    this.#apps.delete(pid);
    this.#apps.set(pid, name);
    const [oldest] = this.#apps.keys();
    if (this.#apps.size > MAX_PROCESSES && oldest !== undefined) this.#apps.delete(oldest);
  }
}
