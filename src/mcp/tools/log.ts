import { Type } from 'typebox';
import { crashedApp, type LogLine } from '../phone-log.ts';
import { fields, LOOKS, tool, whichPhone } from '../tool.ts';

/** Android's log levels, least important first. */
const LEVELS = ['V', 'D', 'I', 'W', 'E', 'F'] as const;
const MAX_CHARS = 16_000;
const STARTED = 'The log is kept from now on. Repeat what you want to see in it, then call this tool again.';

const readLog = tool({
  name: 'read_log',
  title: 'Read the log',
  description:
    'Returns the newest lines of the log of a phone (logcat). The log is kept from the first launch_app, install_app, read_log or read_crashes on, up to 1,000 lines.',
  input: fields({
    ...whichPhone,
    contains: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Return only lines that contain this text, such as a tag; case-insensitive',
      }),
    ),
    level: Type.Optional(
      Type.Enum([...LEVELS], { default: 'I', description: 'Return lines of this level or above' }),
    ),
    max_lines: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
  }),
  effect: LOOKS,
  run: async ({ phone: name, contains = '', level = 'I', max_lines = 100 }, { phones, signal }) => {
    const { log } = phones.pick(name);
    if (!log.isStarted) {
      await log.start(signal);
      return STARTED;
    }
    const levels: readonly string[] = LEVELS.slice(LEVELS.indexOf(level));
    const wanted = contains.toLowerCase();
    const lines = log.lines
      .filter((line) => levels.includes(line.level) || line.level === 'A')
      .map(formatLine)
      .filter((line) => line.toLowerCase().includes(wanted));
    if (lines.length === 0) return 'The log has no such line yet.';
    return newestWithin(lines.slice(-max_lines), MAX_CHARS);
  },
});

const readCrashes = tool({
  name: 'read_crashes',
  title: 'Read crash reports',
  description:
    'Returns the crashes of apps on a phone, newest last, with their stack traces: uncaught exceptions, native crashes, and apps that did not respond. They are kept as long as the log, see read_log.',
  input: fields(whichPhone),
  effect: LOOKS,
  run: async ({ phone: name }, { phones, signal }) => {
    const { log } = phones.pick(name);
    if (!log.isStarted) {
      await log.start(signal);
      return STARTED;
    }
    log.takeCrashes();
    if (log.crashes.length === 0) return 'No app has crashed since the log is kept.';
    const reports = log.crashes.map((crash) => {
      const [first] = crash.lines;
      const trace = crash.lines.map(({ message }) => message).join('\n');
      return `${crashedApp(crash)} at ${first!.time}:\n${trace}`;
    });
    return newestWithin(reports, MAX_CHARS);
  },
});

const formatLine = ({ time, level, tag, message }: LogLine) => `${time} ${level} ${tag}: ${message}`;

/** Joins the newest texts that fit, and counts the others. */
function newestWithin(texts: readonly string[], maxChars: number): string {
  let length = 0;
  let first = texts.length;
  while (first > 0 && length + texts[first - 1]!.length < maxChars) {
    first -= 1;
    length += texts[first]!.length + 1;
  }
  const kept = texts.slice(first).join('\n');
  return first === 0 ? kept : `(${first} older entries are not shown)\n${kept}`;
}

export const LOG_TOOLS = [readLog, readCrashes];
