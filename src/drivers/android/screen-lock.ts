import type { AdbDevice } from './adb/adb-device.ts';
import { shellEach } from './adb/shell-batch.ts';
import type { ShellResult } from './adb/shell-result.ts';

const LOCKS: Record<string, string> = { pin: 'a PIN', pattern: 'a pattern', password: 'a password' };

/**
 * Why the phone's screen lock cannot be opened, and what to do about it, as text for the operator; null when no
 * credential protects it. `locksettings verify` would answer the same question, but counts as a wrong PIN on a phone
 * that has one.
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
 * Parses `CredentialType: Pin`, which exists since Android 11; the first user comes first. Null: not stated. Empty:
 * no credential. Source: AOSP LockSettingsService.java, dump() and credentialTypeToString(). The case of the letters
 * differs between versions.
 */
export function parseLockSettings(text: string): string | null {
  const type = /^[ \t]*CredentialType: (\w+)/m.exec(text)?.[1]?.toLowerCase();
  if (type === undefined || type === 'unknown') return null;
  return type === 'none' ? '' : (LOCKS[type] ?? `a ${type}`);
}

/**
 * Whether the phone is now locked by more than a swipe. An older phone that has a PIN and is unlocked reports no
 * until its screen has been off. Source: AOSP TrustManagerService.java, dumpUser().
 */
export function parseTrust(text: string): string {
  const isLocked = text.split('\n').some((line) => {
    const current = line.indexOf('(current)');
    return current >= 0 && /\bdeviceLocked=1/.test(line.slice(current));
  });
  return isLocked ? 'a PIN, a pattern or a password' : '';
}
