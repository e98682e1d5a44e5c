import type { AdbDevice } from './adb/adb-device.ts';
import { shellEach } from './adb/shell-batch.ts';
import type { ShellResult } from './adb/shell-result.ts';

const LOCKS: Record<string, string> = { pin: 'a PIN', pattern: 'a pattern', password: 'a password' };

/**
 * Why the phone's lock cannot be opened, and what to do about it, in words for the operator; null when nothing guards
 * it. Asking `locksettings verify` would say so too, but counts as a wrong PIN on a phone that has one.
 * @throws AdbError, or the signal's reason.
 */
export async function lockProblem(device: AdbDevice, signal: AbortSignal): Promise<string | null> {
  const [settings, trust] = await shellEach(device, ['dumpsys lock_settings', 'dumpsys trust'], { signal });
  const lock = parseLockSettings(textOf(settings!)) ?? parseTrust(textOf(trust!));
  return (
    lock && `the phone is locked with ${lock}: remove its screen lock (Settings, Security, Screen lock: None)`
  );
}

const textOf = ({ stdout }: ShellResult) => stdout.toString('utf8');

/**
 * From Android 11: `CredentialType: Pin`, of the first user first. Null: it does not say; empty: there is none.
 * Source: AOSP LockSettingsService.java, dump() and credentialTypeToString(), whose letters' case has changed.
 */
export function parseLockSettings(text: string): string | null {
  const type = /^[ \t]*CredentialType: (\w+)/m.exec(text)?.[1]?.toLowerCase();
  if (type === undefined || type === 'unknown') return null;
  return type === 'none' ? '' : (LOCKS[type] ?? `a ${type}`);
}

/**
 * Whether it is locked now, and by more than a swipe; an older phone that has a PIN and is open says no until its
 * screen has been off. Source: AOSP TrustManagerService.java, dumpUser().
 */
export function parseTrust(text: string): string {
  const isLocked = text.split('\n').some((line) => {
    const current = line.indexOf('(current)');
    return current >= 0 && /\bdeviceLocked=1/.test(line.slice(current));
  });
  return isLocked ? 'a PIN, a pattern or a password' : '';
}
