import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';
import { shellLine } from './adb/quote.ts';
import { shellEach } from './adb/shell-batch.ts';
import { failureOf, type ShellResult } from './adb/shell-result.ts';

/** A setting whose value is a number. */
export const NUMBER = /^-?\d{1,10}(?:\.\d{1,10})?$/;
/** A component name, or an empty text on a phone without a keyboard. */
const INPUT_METHOD = /^(?:[\w.]+\/[\w.$]+)?$/;

/**
 * The settings that users commonly change and those that a session itself changes, by `namespace key`, with the
 * format of their values. A value in another format is not kept, because it is an error message or specific to the
 * phone's maker.
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

/** Values by `namespace key`. Null: the setting does not exist. */
export type Settings = Record<string, string | null>;

/** Whether this value may be restored: the setting is among the kept ones and the value has its format. */
export function isKeptSetting(name: string, value: unknown): value is string | null {
  const form = Object.hasOwn(KEPT_SETTINGS, name) ? KEPT_SETTINGS[name] : undefined;
  return form !== undefined && (value === null || (typeof value === 'string' && form.test(value)));
}

/**
 * Android keeps `system` and `secure` settings for each user. Without `--user`, the command applies to the first user,
 * whichever user's screen is shown. Source: AOSP SettingsService.java, MyShellCommand.onCommand.
 */
export function settingLine(verb: string, name: string, user: number, value: string[] = []): string {
  const words = name.split(' ');
  const owner = user === 0 || words[0] === 'global' ? [] : ['--user', user];
  return shellLine('settings', verb, ...owner, ...words, ...value);
}

/**
 * Reads a user's settings that are restored after a session. A setting that the phone did not return is listed in
 * `failures` with the reason, not in `values`.
 * @throws AdbError when the phone cannot be queried, or the signal's reason.
 */
export async function readKeptSettings(
  device: AdbDevice,
  user: number,
  signal: AbortSignal,
  names = Object.keys(KEPT_SETTINGS),
): Promise<{ values: Settings; failures: Record<string, string> }> {
  const lines = names.map((name) => settingLine('get', name, user));
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

/**
 * `settings get` prints the value and a newline, or `null` for a setting that does not exist. Returns undefined for
 * any other output.
 */
function valueIn({ stdout }: ShellResult): string | null | undefined {
  const text = stdout.toString('utf8').replace(/\r\n$/, '\n');
  if (!text.endsWith('\n')) return undefined;
  const value = text.slice(0, -1);
  return value === 'null' ? null : value;
}

/** Several Android versions cannot delete a setting of a user other than the first. Source: as above. */
const UNDELETABLE = '--user not supported';

/**
 * Writes a user's settings; null deletes one, where Android can.
 * @throws AdbError naming the first setting that the phone rejected, or the signal's reason.
 */
export async function writeSettings(
  device: AdbDevice,
  user: number,
  settings: Settings,
  signal: AbortSignal,
): Promise<void> {
  const names = Object.keys(settings);
  const lines = names.map((name) => {
    const value = settings[name]!;
    return value === null ? settingLine('delete', name, user) : settingLine('put', name, user, [value]);
  });
  const results = await shellEach(device, lines, { signal });
  for (const [index, name] of names.entries()) {
    const failure = failureOf(results[index]!);
    if (failure === null || (settings[name] === null && failure.includes(UNDELETABLE))) continue;
    throw new AdbError(`the phone rejected a change of the setting "${name}": ${failure}`);
  }
}
