import { StringDecoder } from 'node:string_decoder';
import { AdbError } from '../adb/adb-socket.ts';
import type { ShellProcess } from '../adb/shell-process.ts';
import type { PhoneContext } from './phone-context.ts';
import { ProcessApps } from './process-apps.ts';

/** Maximum length of a log line. */
const MAX_LINE_BYTES = 64 * 1024;
const LEVELS = 'VDIWEFA';
/** The latest time that a Date can represent: ECMA-262, time values. */
const MAX_TIME_MS = 8.64e15;

/** The phone's log, line by line, from the moment of the request. */
export class Logcat {
  readonly #phone: PhoneContext;
  #process: ShellProcess | null = null;
  #apps = new ProcessApps();
  #rest = '';
  #decoder = new StringDecoder('utf8');

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#process) return;
    this.#apps = new ProcessApps();
    await this.#apps.read(this.#phone, signal).catch((error: unknown) => {
      // The log is useful without the names of the apps too.
      if (!(error instanceof AdbError)) throw error;
    });
    const listener = { onOutput: (data: Buffer) => this.#take(this.#decoder.write(data)) };
    // `exec` replaces the shell: when the connection is closed, adbd only kills the shell.
    const line = 'exec logcat -v threadtime -v epoch -T 1';
    const process = await this.#phone.device.spawn(line, listener, signal);
    this.#process = process;
    void process.exited.then(() => {
      if (this.#process === process) this.#process = null;
    });
  }

  stop(): void {
    this.#process?.kill();
    this.#process = null;
    this.#rest = '';
    this.#decoder = new StringDecoder('utf8');
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-MAX_LINE_BYTES);
    for (const line of lines) {
      const params = parseLogLine(line, (pid) => this.#apps.appOf(pid));
      if (!params) continue;
      this.#apps.noticeStart(params.tag, params.message);
      this.#phone.notify({ method: 'log.line', params });
    }
  }
}

/**
 * Parses `1700000000.123  1234  1250 I Tag: message`. Returns null for any other line, such as `--------- beginning
 * of main`.
 */
export function parseLogLine(line: string, appOf: (pid: number) => string | undefined = () => undefined) {
  const [head, seconds, pid, level] = /^\s*(\d+\.\d+)\s+(\d+)\s+\d+ ([A-Z]) /.exec(line) ?? [];
  if (head === undefined || !LEVELS.includes(level!)) return null;
  const time = Number(seconds) * 1000;
  const colon = line.indexOf(': ', head.length);
  if (colon === -1 || time > MAX_TIME_MS) return null;
  const app = appOf(Number(pid));
  return {
    time: new Date(time).toISOString(),
    level: level!,
    tag: line.slice(head.length, colon).trimEnd(),
    message: line.slice(colon + 2).trimEnd(),
    ...(app !== undefined && { app }),
  };
}
