import type { PhoneSession } from '../client/phone-session.ts';
import type { ControlNotifications } from '../contract/sockets/control-notifications.ts';

export type LogLine = ControlNotifications['log.line'];

/** Maximum number of lines that are kept per phone. When there are more, the oldest are dropped. */
const MAX_LINES = 1_000;
const MAX_LINE_LENGTH = 400;
const MAX_CRASHES = 10;
/** A stack trace is cut off after this many lines. Its first lines name the error and its place. */
const MAX_CRASH_LINES = 40;

export interface Crash {
  /** The tag of the lines, from which the rest of the report is recognised. */
  tag: string;
  lines: LogLine[];
}

/**
 * The first line of each kind of crash report in Android's log: an uncaught exception (AOSP RuntimeInit.java), an app
 * that does not respond (AOSP ProcessErrorStateRecord.java), and a native crash (AOSP tombstone_proto_to_text.cpp).
 */
const CRASH_STARTS: readonly { tag: string; start: RegExp }[] = [
  { tag: 'AndroidRuntime', start: /^FATAL EXCEPTION/ },
  { tag: 'ActivityManager', start: /^ANR in / },
  { tag: 'DEBUG', start: /^\*\*\* \*\*\*/ },
];
/** Levels of a crash report. The same tags also write other lines. */
const CRASH_LEVELS = ['E', 'F', 'A'];

/** The log of a phone since the AI agent first needed it, and the crash reports in it. */
export class PhoneLog {
  readonly #session: PhoneSession;
  readonly #lines: LogLine[] = [];
  readonly #crashes: Crash[] = [];
  #open: Crash | null = null;
  #isStarted = false;
  #unseenCrashes: Crash[] = [];

  constructor(session: PhoneSession) {
    this.#session = session;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  get crashes(): readonly Crash[] {
    return this.#crashes;
  }

  /** Starts to keep the log. A repeat has no effect. @throws ControlError when the phone has no log */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#isStarted) return;
    const session = this.#session;
    await session.call('log.start', {}, { signal });
    if (this.#isStarted) return;
    this.#isStarted = true;
    session.on('log.line', (line) => this.#take(line));
    // The subscription ends with the connection. It is started again when the connection is back.
    session.on('session.ready', () => void session.call('log.start', {}).catch(() => {}));
  }

  /** Returns the crashes since the last call, each once. */
  takeCrashes(): Crash[] {
    const crashes = this.#unseenCrashes;
    this.#unseenCrashes = [];
    return crashes;
  }

  #take(full: LogLine): void {
    const line = { ...full, message: full.message.slice(0, MAX_LINE_LENGTH) };
    this.#lines.push(line);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    if (!CRASH_LEVELS.includes(line.level)) return;
    const isStart = CRASH_STARTS.some(({ tag, start }) => tag === line.tag && start.test(line.message));
    if (isStart) this.#begin(line);
    else if (this.#open?.tag === line.tag && this.#open.lines.length < MAX_CRASH_LINES)
      this.#open.lines.push(line);
  }

  #begin(line: LogLine): void {
    this.#open = { tag: line.tag, lines: [line] };
    this.#crashes.push(this.#open);
    if (this.#crashes.length > MAX_CRASHES) this.#crashes.shift();
    this.#unseenCrashes = [...this.#unseenCrashes, this.#open].slice(-MAX_CRASHES);
  }
}

/** The app that crashed, as the report names it; the report's first line if it names none. */
export function crashedApp({ lines }: Crash): string {
  const text = lines.map(({ message }) => message).join('\n');
  const [, process, anr, native] =
    /^Process: ([\w.:]+)|^ANR in ([\w.:]+)|>>> ([\w.:]+) <<</m.exec(text) ?? [];
  return process ?? anr ?? native ?? lines[0]!.message;
}
