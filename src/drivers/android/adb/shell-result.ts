/** The result of a command on a phone. */
export interface ShellResult {
  exitCode: number;
  stdout: Buffer;
  stderr: string;
}

/**
 * Error headings that the phone's commands print, some of them with exit code 0. Source: AOSP
 * BasicShellCommandHandler.java and, before Android 11, ShellCommand.java (`Exception occurred while executing
 * 'put':`, `Security exception: …`, then the stack trace, exit code 255); SettingsCmd.java of Android 7 (`Error while
 * accessing settings provider`, `Can't read key in …`, exit code 0); native/cmds/cmd/cmd.cpp (`cmd: Can't find
 * service: …`, exit code 20).
 */
const HEADING = /^Exception occurred while executing/;
const COMPLAINT = /^(?:Error|Failure|Exception|Security exception|[\w.]+(?:Exception|Error):|Can't )/;
const MAX_REASON = 500;

/** Why a command failed, according to its exit code and its standard error; null if it succeeded. */
export function failureOf({ exitCode, stdout, stderr }: ShellResult): string | null {
  const complaint = complaintIn(stderr);
  if (exitCode === 0) return complaint;
  const words = complaint ?? (firstLine(stderr) || complaintIn(stdout.toString('utf8')) || '');
  return words || `exit code ${exitCode}`;
}

/** The line that names the error: for an exception its class and message, without the stack trace. */
export function complaintIn(text: string): string | null {
  const lines = text.split('\n', 100).map((line) => line.trim());
  const complaint = lines.find((line) => COMPLAINT.test(line) && !HEADING.test(line));
  const words = complaint ?? lines.find((line) => HEADING.test(line));
  return words === undefined ? null : words.slice(0, MAX_REASON);
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]!.trim().slice(0, MAX_REASON);
}
