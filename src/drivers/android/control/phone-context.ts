import type { ControlParams, ControlResult, PhoneMethod } from '../../../contract/control-methods.ts';
import type { PhoneNotification } from '../../driver.ts';
import { DriverError } from '../../driver.ts';
import type { AdbDevice } from '../adb/adb-device.ts';
import type { Journal } from '../journal.ts';

/** What the control methods work on. */
export interface PhoneContext {
  readonly device: AdbDevice;
  /** Android's API level. */
  readonly sdk: number;
  /** Android's number for the user whose screen is shown. */
  readonly user: number;
  readonly journal: Journal;
  /** The picture's size now, px. */
  readonly size: { width: number; height: number };
  /** One scrcpy control message. False when the phone takes none now. */
  send(message: Uint8Array): boolean;
  notify(notification: PhoneNotification): void;
  /** Where scrcpy's server is on the phone. */
  readonly serverPath: string;
}

export type Handlers = {
  [M in PhoneMethod]?: (params: ControlParams<M>, signal: AbortSignal) => Promise<ControlResult<M>>;
};

/** @throws DriverError when the phone takes no input just now. */
export function deliver(phone: PhoneContext, ...messages: Uint8Array[]): void {
  for (const message of messages) {
    if (!phone.send(message)) throw new DriverError('failed', 'the phone takes no input just now; try again');
  }
}

/**
 * Runs a command whose words are its result.
 * @throws DriverError with what the phone said, when its exit code or its words say that it failed.
 */
export async function ask(phone: PhoneContext, line: string, signal: AbortSignal): Promise<string> {
  const { exitCode, stdout, stderr } = await phone.device.shell(line, { signal });
  const text = stdout.toString('utf8');
  const complaint = /^(?:Error|Failure|Exception|java\.lang\.\w+).*$/m.exec(stderr + text)?.[0];
  if (exitCode === 0 && !complaint) return text;
  throw new DriverError(
    'failed',
    (complaint ?? (stderr.trim() || text.trim() || `exit code ${exitCode}`)).slice(0, 500),
  );
}
