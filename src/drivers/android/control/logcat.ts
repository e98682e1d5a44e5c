import type { ShellProcess } from '../adb/shell-process.ts';
import type { PhoneContext } from './phone-context.ts';

/** A line longer than this is no log line. */
const MAX_LINE_BYTES = 64 * 1024;
const LEVELS = 'VDIWEFA';

/** The phone's log, line by line, from when it is asked for. */
export class Logcat {
  readonly #phone: PhoneContext;
  #process: ShellProcess | null = null;
  #rest = '';

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#process) return;
    const listener = { onOutput: (data: Buffer) => this.#take(data.toString('utf8')) };
    // By exec: when the connection is closed, adbd ends the shell alone.
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
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-MAX_LINE_BYTES);
    for (const line of lines) {
      const params = parseLogLine(line);
      if (params) this.#phone.notify({ method: 'log.line', params });
    }
  }
}

/** `1700000000.123  1234  1250 I Tag: message`; null for what is no such line, such as `--------- beginning of main`. */
export function parseLogLine(line: string) {
  const match = /^\s*(\d+\.\d+)\s+\d+\s+\d+ ([A-Z]) (.*?)\s*: (.*)$/.exec(line.trimEnd());
  if (!match || !LEVELS.includes(match[2]!)) return null;
  const [, seconds, level, tag, message] = match as unknown as [string, string, string, string, string];
  return { time: new Date(Number(seconds) * 1000).toISOString(), level, tag, message };
}
