import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';
import { shellLine } from './adb/quote.ts';
import { shellEach } from './adb/shell-batch.ts';
import { failureOf, type ShellResult } from './adb/shell-result.ts';

const NUMBER = /^-?\d{1,10}(?:\.\d{1,10})?$/;
/** A component, or nothing on a phone that has no keyboard. */
const INPUT_METHOD = /^(?:[\w.]+\/[\w.$]+)?$/;

/**
 * The settings that people change by the way and that a session changes itself, by `namespace key`, and the form of
 * their values. A value of another form is not kept: it is text of an error, or of a vendor's own.
 */
const KEPT_SETTINGS: Record<string, RegExp> = {
  'global stay_on_while_plugged_in': NUMBER,
  'global verifier_verify_adb_installs': NUMBER,
  'system accelerometer_rotation': NUMBER,
  'system user_rotation': NUMBER,
  'system screen_brightness': NUMBER,
  'system screen_brightness_mode': NUMBER,
  'system screen_off_timeout': NUMBER,
  'system font_scale': NUMBER,
  'secure default_input_method': INPUT_METHOD,
};

/** Values by `namespace key`; null where the setting does not exist. */
export type Settings = Record<string, string | null>;

/** Whether this may be put back: the setting is among those that are kept, and the value is one that it can have. */
export function isKeptSetting(name: string, value: unknown): value is string | null {
  const form = Object.hasOwn(KEPT_SETTINGS, name) ? KEPT_SETTINGS[name] : undefined;
  return form !== undefined && (value === null || (typeof value === 'string' && form.test(value)));
}

/**
 * Reads the settings that are put back after a session. Those that the phone did not answer for are not among the
 * values but among the failures, with the reason.
 * @throws AdbError when the phone cannot be asked, or the signal's reason.
 */
export async function readKeptSettings(
  device: AdbDevice,
  signal: AbortSignal,
  names = Object.keys(KEPT_SETTINGS),
): Promise<{ values: Settings; failures: Record<string, string> }> {
  const lines = names.map((name) => shellLine('settings', 'get', ...name.split(' ')));
  const results = await shellEach(device, lines, { signal });
  const values: Settings = {};
  const failures: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const result = results[index]!;
    const failure = failureOf(result);
    const value = failure === null ? valueIn(result) : undefined;
    if (value !== undefined && isKeptSetting(name, value)) values[name] = value;
    else
      failures[name] =
        failure ?? `unexpected answer ${JSON.stringify(result.stdout.toString('utf8', 0, 100))}`;
  }
  return { values, failures };
}

/** `settings get` prints the value and a newline, and `null` for a setting that does not exist. Undefined: neither. */
function valueIn({ stdout }: ShellResult): string | null | undefined {
  const text = stdout.toString('utf8').replace(/\r\n$/, '\n');
  if (!text.endsWith('\n')) return undefined;
  const value = text.slice(0, -1);
  return value === 'null' ? null : value;
}

/**
 * Writes settings; null deletes one.
 * @throws AdbError naming the first one that the phone refused, or the signal's reason.
 */
export async function writeSettings(
  device: AdbDevice,
  settings: Settings,
  signal: AbortSignal,
): Promise<void> {
  const names = Object.keys(settings);
  const lines = names.map((name) => {
    const value = settings[name]!;
    const words = name.split(' ');
    return value === null
      ? shellLine('settings', 'delete', ...words)
      : shellLine('settings', 'put', ...words, value);
  });
  const results = await shellEach(device, lines, { signal });
  for (const [index, name] of names.entries()) {
    const failure = failureOf(results[index]!);
    if (failure !== null) throw new AdbError(`the phone refused to change the setting "${name}": ${failure}`);
  }
}
