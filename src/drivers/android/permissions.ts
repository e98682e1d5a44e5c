import type { AdbDevice } from './adb/adb-device.ts';
import { shellEach } from './adb/shell-batch.ts';
import { failureOf, type ShellResult } from './adb/shell-result.ts';

/** KEYCODE_UNKNOWN, which no app acts on. */
export const INPUT_PROBE = 'input keyevent 0';
/** Deletes nothing, and needs the permission to write all the same (AOSP SettingsProvider.java, mutateGlobalSetting). */
const SETTINGS_PROBE = 'settings delete global phonebooth_write_check';

/**
 * What Android prints when its shell may not touch the screen or write settings, which some makers take from it. From
 * Android 12 in the first words, before in the second.
 * Source: AOSP InputManagerService.java, injectInputEventToTarget; SettingsProvider.java, enforceWritePermission.
 */
const REFUSED = /INJECT_EVENTS|WRITE_SECURE_SETTINGS|SecurityException|Security exception/;

/** The switches that give the shell these permissions, by the brand that the phone names (in lower case). */
const SWITCHES: [brands: string[], advice: string][] = [
  [
    ['xiaomi', 'redmi', 'poco', 'blackshark'],
    'turn on "USB debugging (Security settings)" in its developer options, which asks for a Xiaomi account and a SIM card, and restart it',
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
  'look in its developer options for a switch such as "USB debugging (Security settings)" or "Disable permission monitoring"';

/** Whether the text is that of a refused permission. */
export function isRefusal(text: string): boolean {
  return REFUSED.test(text);
}

/** The problem of a phone whose shell lacks permissions, with the switch that gives them, for the operator. */
export function refusalProblem(brand: string, what = 'input'): string {
  const advice = SWITCHES.find(([brands]) => brands.includes(brand.toLowerCase()))?.[1] ?? ANY_SWITCH;
  return `the phone refuses ${what} over adb: ${advice}`;
}

/**
 * Asks whether the phone takes input and changes of its settings over adb, by an input and a change without effect.
 * Null: it takes both. A phone before Android 12 may say so of input only while its screen is on.
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

/** By its permission check alone: a command that fails for another reason says nothing about permissions. */
export function isRefused(result: ShellResult): boolean {
  return failureOf(result) !== null && isRefusal(result.stderr + result.stdout.toString('utf8'));
}
