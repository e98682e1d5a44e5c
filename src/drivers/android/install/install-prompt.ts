import { setTimeout as delay } from 'node:timers/promises';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError } from '../adb/adb-socket.ts';

/**
 * Windows that ask on the screen whether an app may be installed: the package installers of Android and of the
 * phone's maker, MIUI's `com.miui.securitycenter/com.miui.permcenter.install.AdbInstallActivity`, and Play Protect's
 * dialogs, which are part of the Play Store.
 */
const PROMPT =
  /^(?:[\w.]*packageinstaller\/|com\.miui\.securitycenter\/\S*install|com\.(?:coloros|oplus|oppo)\.(?:safecenter|securitypermission)\/|com\.bbk\.account\/|com\.android\.vending\/\S*(?:verifier|PackageWarning|Consent))/i;
/** `mCurrentFocus=Window{5e1ba8f u0 com.acme/com.acme.MainActivity}` (AOSP WindowState.java, toString). */
const FOCUS = /mCurrentFocus=Window\{\S+ (?:u\d+ )?([\w.]+\/[\w.$]+)\}/;

export interface PromptTimes {
  intervalMs: number;
  /** How long a prompt may stay unanswered, in milliseconds. */
  unansweredMs: number;
}

const TIMES: PromptTimes = { intervalMs: 5_000, unansweredMs: 60_000 };

/**
 * Watches for install prompts while the phone installs an app. Resolves with the window whose prompt stayed
 * unanswered for too long, or null when the signal aborts first. If the phone does not name its focused window, the
 * query is repeated.
 */
export async function promptUnanswered(
  device: Pick<AdbDevice, 'shell'>,
  signal: AbortSignal,
  { intervalMs, unansweredMs }: PromptTimes = TIMES,
): Promise<string | null> {
  let since: number | null = null;
  while (!signal.aborted) {
    try {
      await delay(intervalMs, undefined, { signal });
      const { stdout } = await device.shell('dumpsys window | grep mCurrentFocus=', { signal });
      const prompt = promptIn(stdout.toString('utf8'));
      since = prompt === null ? null : (since ?? performance.now());
      if (prompt !== null && since !== null && performance.now() - since >= unansweredMs) return prompt;
    } catch (error) {
      if (!signal.aborted && !(error instanceof AdbError)) throw error;
    }
  }
  return null;
}

/** The focused window, if it asks whether an app may be installed; otherwise null. */
export function promptIn(text: string): string | null {
  const window = FOCUS.exec(text)?.[1];
  return window !== undefined && PROMPT.test(window) ? window : null;
}
