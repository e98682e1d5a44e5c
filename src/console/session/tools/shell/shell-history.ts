/** Maximum number of commands that can be recalled, and of results that are shown. */
export const MOST_COMMANDS = 200;
/** Maximum number of characters of an output that are shown. */
const MOST_OUTPUT = 100_000;

export interface ShellEntry {
  number: number;
  command: string;
  /** Null while the command runs. */
  output: string | null;
  /** Null while it runs, and if it could not be run. */
  exitCode: number | null;
}

export const appendEntry = (entries: readonly ShellEntry[], entry: ShellEntry): readonly ShellEntry[] =>
  [...entries, entry].slice(-MOST_COMMANDS);

/** Returns the end of an output that is too long to be shown. */
export const shownOutput = (output: string): string =>
  output.length > MOST_OUTPUT ? `…${output.slice(-MOST_OUTPUT)}` : output;

/**
 * Returns the command before (`step` -1) or after (1) the one at a position of the history, as a shell does with the
 * arrow keys. The position after the last command is the new line.
 */
export function recall(
  commands: readonly string[],
  at: number,
  step: 1 | -1,
): { at: number; command: string } {
  const next = Math.min(commands.length, Math.max(0, at + step));
  return { at: next, command: commands[next] ?? '' };
}
