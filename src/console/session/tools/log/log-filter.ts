import type { LogLine } from './log-feed.ts';

/** Android's log levels in increasing severity (`logcat`, "Filter log output"). */
export const LOG_LEVELS = ['V', 'D', 'I', 'W', 'E', 'F'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogFilter {
  /** Text to find in the tag or the message, ignoring case. */
  text: string;
  /** The lowest level that is shown. */
  level: LogLevel;
  /** Package of the app whose lines are shown. An empty text stands for all lines, including the system's. */
  app: string;
}

const rank = (level: string) => (LOG_LEVELS as readonly string[]).indexOf(level);

/** Lines with an unknown level are always shown, so that no line is hidden by mistake. */
export function filterLog<Line extends LogLine>(
  lines: readonly Line[],
  { text, level, app }: LogFilter,
): readonly Line[] {
  const wanted = text.trim().toLowerCase();
  const least = rank(level);
  if (wanted === '' && least === 0 && app === '') return lines;
  return lines.filter((line) => {
    if (app !== '' && line.app !== app) return false;
    const own = rank(line.level);
    if (own >= 0 && own < least) return false;
    return `${line.tag}: ${line.message}`.toLowerCase().includes(wanted);
  });
}

/** Returns the apps that wrote the lines, sorted by package. */
export const appsIn = (lines: readonly LogLine[]): string[] =>
  [...new Set(lines.flatMap(({ app }) => app ?? []))].sort();

/** Returns the lines as text, in the order of the fields that `logcat` prints. */
export const logText = (lines: readonly LogLine[]): string =>
  lines
    .map(
      ({ time, level, tag, message, app }) =>
        `${time} ${level} ${tag}${app ? ` (${app})` : ''}: ${message}\n`,
    )
    .join('');
