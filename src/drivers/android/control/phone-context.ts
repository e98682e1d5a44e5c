import type { ControlParams, ControlResult, PhoneMethod } from '../../../contract/sockets/control-methods.ts';
import type { PhoneNotification } from '../../driver.ts';
import { DriverError } from '../../driver.ts';
import type { AdbDevice } from '../adb/adb-device.ts';
import type { Journal } from '../journal.ts';

/** What the control methods operate on. */
export interface PhoneContext {
  readonly device: AdbDevice;
  /** Android's API level. */
  readonly sdk: number;
  /** Android's id of the user whose screen is shown. */
  readonly user: number;
  readonly journal: Journal;
  /** The video's current size in pixels. */
  readonly size: { width: number; height: number };
  /** Sends one scrcpy control message. Returns false if the phone cannot receive one now. */
  send(message: Uint8Array): boolean;
  notify(notification: PhoneNotification): void;
  /** Path of scrcpy's server on the phone. */
  readonly serverPath: string;
}

export type Handlers = {
  [M in PhoneMethod]?: (params: ControlParams<M>, signal: AbortSignal) => Promise<ControlResult<M>>;
};

/** @throws DriverError when the phone cannot receive input now. */
export function deliver(phone: PhoneContext, ...messages: Uint8Array[]): void {
  for (const message of messages) {
    if (!phone.send(message))
      throw new DriverError('failed', 'the phone does not accept input at the moment; try again');
  }
}

/**
 * Runs a command and returns what it prints.
 * @throws DriverError with the phone's message, when the command's exit code or its output indicates a failure.
 */
export async function runCommand(phone: PhoneContext, line: string, signal: AbortSignal): Promise<string> {
  const { exitCode, stdout, stderr } = await phone.device.shell(line, { signal });
  const text = stdout.toString('utf8');
  const complaint = /^(?:Error|Failure|Exception|java\.lang\.\w+).*$/m.exec(stderr + text)?.[0];
  if (exitCode === 0 && !complaint) return text;
  throw new DriverError(
    'failed',
    (
      complaint ??
      (stderr.trim() || text.trim() || `the command exited with ${exitCode} and printed no reason`)
    ).slice(0, 500),
  );
}
