import type { AdbDevice } from './adb/adb-device.ts';
import { shellEach } from './adb/shell-batch.ts';
import { failureOf, type ShellResult } from './adb/shell-result.ts';

/** KEYCODE_UNKNOWN, which apps ignore. */
export const INPUT_PROBE = 'input keyevent 0';
/**
 * Deletes nothing, but requires the permission to write settings (AOSP SettingsProvider.java, mutateGlobalSetting).
 */
const SETTINGS_PROBE = 'settings delete global phonebooth_write_check';

/**
 * What Android prints when its shell is not allowed to inject input or write settings, as on phones of some makers.
 * The first alternatives appear from Android 12 on, the others before. Source: AOSP InputManagerService.java,
 * injectInputEventToTarget; SettingsProvider.java, enforceWritePermission.
 */
const REFUSED = /INJECT_EVENTS|WRITE_SECURE_SETTINGS|SecurityException|Security exception/;

/** The switches that give the shell these permissions, by the phone's brand in lower case. */
export const SWITCHES: [brands: string[], advice: string][] = [
  [
    ['xiaomi', 'redmi', 'poco', 'blackshark'],
    'turn on "USB debugging (Security settings)" in its developer options, which requires a Xiaomi ' +
      'account and a SIM card, and restart it',
  ],
  [
    ['oppo', 'realme', 'oneplus'],
    'turn on "Disable permission monitoring" in its developer options, and restart it',
  ],
  [
    ['vivo', 'iqoo'],
    'turn on "USB simulated click" or "USB debugging (Security settings)" in its developer options',
  ],
];
const ANY_SWITCH =
  'look in its developer options for a setting such as "USB debugging (Security settings)" or "Disable ' +
  'permission monitoring"';

/** Whether the text reports a missing permission. */
export function isRefusal(text: string): boolean {
  return REFUSED.test(text);
}

/**
 * The problem, as text for the operator, of a phone whose shell lacks permissions, with the switch that grants them.
 */
export function refusalProblem(brand: string, what = 'input'): string {
  const advice = SWITCHES.find(([brands]) => brands.includes(brand.toLowerCase()))?.[1] ?? ANY_SWITCH;
  return `the phone refuses ${what} over adb: ${advice}`;
}

/**
 * Checks whether the phone accepts input and changes of its settings over adb, by an input and a change without
 * effect. Null: it accepts both. A phone before Android 12 may only report rejected input while its screen is on.
 * @throws AdbError, or the signal's reason.
 */
export async function permissionProblem(
  device: AdbDevice,
  brand: string,
  signal: AbortSignal,
): Promise<string | null> {
  const [input, settings] = await shellEach(device, [INPUT_PROBE, SETTINGS_PROBE], { signal });
  const refused = [
    ...(isRefused(input!) ? ['input'] : []),
    ...(isRefused(settings!) ? ['changes of settings'] : []),
  ];
  return refused.length > 0 ? refusalProblem(brand, refused.join(' and ')) : null;
}

/** Only a failed permission check counts. A command that fails for another reason says nothing about permissions. */
export function isRefused(result: ShellResult): boolean {
  return failureOf(result) !== null && isRefusal(result.stderr + result.stdout.toString('utf8'));
}
