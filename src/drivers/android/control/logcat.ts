import { StringDecoder } from 'node:string_decoder';
import type { ShellProcess } from '../adb/shell-process.ts';
import type { PhoneContext } from './phone-context.ts';

/** Maximum length of a log line. */
const MAX_LINE_BYTES = 64 * 1024;
const LEVELS = 'VDIWEFA';
/** The latest time that a Date can represent: ECMA-262, time values. */
const MAX_TIME_MS = 8.64e15;

/** The phone's log, line by line, from the moment of the request. */
export class Logcat {
  readonly #phone: PhoneContext;
  #process: ShellProcess | null = null;
  #rest = '';
  #decoder = new StringDecoder('utf8');

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#process) return;
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
      const params = parseLogLine(line);
      if (params) this.#phone.notify({ method: 'log.line', params });
    }
  }
}

/**
 * Parses `1700000000.123  1234  1250 I Tag: message`. Returns null for any other line, such as `--------- beginning
 * of main`.
 */
export function parseLogLine(line: string) {
  const [head, seconds, level] = /^\s*(\d+\.\d+)\s+\d+\s+\d+ ([A-Z]) /.exec(line) ?? [];
  if (head === undefined || !LEVELS.includes(level!)) return null;
  const time = Number(seconds) * 1000;
  const colon = line.indexOf(': ', head.length);
  if (colon === -1 || time > MAX_TIME_MS) return null;
  return {
    time: new Date(time).toISOString(),
    level: level!,
    tag: line.slice(head.length, colon).trimEnd(),
    message: line.slice(colon + 2).trimEnd(),
  };
}
