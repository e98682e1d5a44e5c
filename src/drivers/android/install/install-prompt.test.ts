import { expect, test } from 'vitest';
import { AdbError } from '../adb/adb-socket.ts';
import { promptIn, promptUnanswered } from './install-prompt.ts';

const focus = (window: string) => `  mCurrentFocus=Window{5e1ba8f u0 ${window}}\n`;
const MIUI = 'com.miui.securitycenter/com.miui.permcenter.install.AdbInstallActivity';

test.each([
  MIUI,
  'com.google.android.packageinstaller/com.android.packageinstaller.PackageInstallerActivity',
  'com.android.vending/com.google.android.finsky.verifier.impl.ConsentDialog',
])('recognizes %s as an install prompt', (window) => {
  expect(promptIn(focus(window))).toBe(window);
});

test.each([
  'com.android.vending/com.google.android.finsky.activities.MainActivity',
  'com.miui.securitycenter/com.miui.securitycenter.MainActivity',
  'com.acme/com.acme.MainActivity',
])('does not recognize %s as an install prompt', (window) => {
  expect(promptIn(focus(window))).toBeNull();
});

const deviceThatShows = (windows: string[]) => ({
  shell: async () => {
    const window = windows.length > 1 ? windows.shift()! : windows[0]!;
    return { exitCode: 0, stdout: Buffer.from(focus(window)), stderr: '' };
  },
});

test('reports a prompt that stays open, but not one that is answered', async () => {
  const times = { intervalMs: 1, unansweredMs: 5 };
  const signal = AbortSignal.timeout(60_000);
  expect(await promptUnanswered(deviceThatShows(['com.acme/com.acme.Main', MIUI]), signal, times)).toBe(MIUI);
  const ending = new AbortController();
  const windows = [MIUI, 'com.acme/com.acme.Main'];
  const device = deviceThatShows(windows);
  const watched = {
    shell: async () => {
      if (windows.length === 1) ending.abort();
      return device.shell();
    },
  };
  expect(await promptUnanswered(watched, ending.signal, { intervalMs: 1, unansweredMs: 60_000 })).toBeNull();
});

test('repeats a query that the phone does not answer in time', async () => {
  let queries = 0;
  const device = deviceThatShows([MIUI]);
  const slow = {
    shell: async () => {
      queries++;
      if (queries === 2) throw new AdbError('the phone opened no connection within 5 s');
      return device.shell();
    },
  };
  const signal = AbortSignal.timeout(60_000);
  expect(await promptUnanswered(slow, signal, { intervalMs: 1, unansweredMs: 20 })).toBe(MIUI);
  expect(queries).toBeGreaterThan(2);
});
