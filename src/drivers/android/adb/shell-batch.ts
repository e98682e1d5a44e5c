import { randomBytes } from 'node:crypto';
import type { AdbDevice } from './adb-device.ts';
import { AdbError } from './adb-socket.ts';
import type { ShellResult } from './shell-result.ts';

/** An adb server takes requests of at most 65,535 bytes (AOSP adb/OVERVIEW.TXT, four hexadecimal digits). */
const MAX_SCRIPT_BYTES = 16 * 1024;

/**
 * Runs simple commands one after the other and returns the result of each, whatever its exit code. They share a
 * shell, because starting one takes most of a second on an old phone. The marker between two results is random, so
 * that a command's output cannot imitate the end of its result or shift the results that follow.
 * @throws AdbError, or the signal's reason.
 */
export async function shellEach(
  device: AdbDevice,
  lines: string[],
  options: { signal: AbortSignal; timeoutMs?: number },
): Promise<ShellResult[]> {
  const results: ShellResult[] = [];
  for (const batch of batches(lines)) {
    const marker = randomBytes(16).toString('hex');
    const { stdout, stderr } = await device.shell(scriptOf(batch, marker), options);
    results.push(...splitResults(stdout, Buffer.from(stderr), marker, batch.length));
  }
  return results;
}

export function scriptOf(lines: string[], marker: string): string {
  return lines.map((line) => `${line}; echo ${marker}$?; echo ${marker} >&2`).join('; ');
}

/** @throws AdbError when the shell ended before its last command. */
export function splitResults(stdout: Buffer, stderr: Buffer, marker: string, count: number): ShellResult[] {
  const results: ShellResult[] = [];
  let out = 0;
  let error = 0;
  while (results.length < count) {
    const outEnd = stdout.indexOf(marker, out);
    const errorEnd = stderr.indexOf(marker, error);
    const newline = outEnd < 0 ? -1 : stdout.indexOf('\n', outEnd);
    if (newline < 0 || errorEnd < 0)
      throw new AdbError('the shell on the phone exited before its last command');
    results.push({
      exitCode: Number(stdout.toString('latin1', outEnd + marker.length, newline).trim()),
      stdout: stdout.subarray(out, outEnd),
      stderr: stderr.toString('utf8', error, errorEnd),
    });
    out = newline + 1;
    error = errorEnd + marker.length + 1;
  }
  return results;
}

function batches(lines: string[]): string[][] {
  const found: string[][] = [];
  let size = 0;
  for (const line of lines) {
    const bytes = Buffer.byteLength(line) + 100;
    if (found.length === 0 || size + bytes > MAX_SCRIPT_BYTES) {
      found.push([]);
      size = 0;
    }
    found.at(-1)!.push(line);
    size += bytes;
  }
  return found;
}
