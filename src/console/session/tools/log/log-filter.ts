import type { LogLine } from './log-feed.ts';

/** Android's, from the least to the gravest (`logcat`, "Filter log output"). */
export const LOG_LEVELS = ['V', 'D', 'I', 'W', 'E', 'F'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogFilter {
  /** In the tag or the message, in whatever case. */
  text: string;
  /** The least that is shown. */
  level: LogLevel;
}

const rank = (level: string) => (LOG_LEVELS as readonly string[]).indexOf(level);

/** Lines of a level that is not known are shown: nothing is hidden by mistake. */
export function filterLog(lines: readonly LogLine[], { text, level }: LogFilter): readonly LogLine[] {
  const wanted = text.trim().toLowerCase();
  const least = rank(level);
  if (wanted === '' && least === 0) return lines;
  return lines.filter((line) => {
    const own = rank(line.level);
    if (own >= 0 && own < least) return false;
    return `${line.tag}: ${line.message}`.toLowerCase().includes(wanted);
  });
}
