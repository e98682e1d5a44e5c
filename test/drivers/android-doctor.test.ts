import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diagnose } from '../../src/drivers/android/diagnose.ts';
import { AndroidRig, eventually } from './android-rig.ts';

let rig: AndroidRig;

beforeAll(async () => {
  rig = await AndroidRig.start();
});
afterAll(() => rig[Symbol.asyncDispose]());

async function ask(options: { port?: number; path?: string; mayStart?: boolean } = {}): Promise<string[]> {
  const checks = await diagnose({
    address: { host: '127.0.0.1', port: options.port ?? rig.server.port },
    mayStart: options.mayStart ?? false,
    path: options.path ?? process.env.PATH ?? '',
    dataDir: rig.folder,
    scrcpyServer: `${rig.folder}/scrcpy-server`,
    usbDevices: join(rig.folder, 'usb'),
  });
  return checks.map(({ ok, message }) => `${ok ? 'ok  ' : 'FIX '}${message}`);
}

test('names what hides a phone from a machine without phones', async () => {
  const lines = await ask();
  expect(lines).toContainEqual(expect.stringMatching(/^ok {2}no phone found: .*charge-only cable/));
});

test('reports for each phone what it is, or what to do', async () => {
  await rig.plugIn({ serial: 'GOOD', model: 'Good' });
  const shy = await rig.phones.add({ serial: 'SHY', model: 'Shy' });
  await shy.faults({ unauthorized: true });
  await rig.connect(shy);
  const shut = await rig.phones.add({ serial: 'SHUT', model: 'Shut' });
  await shut.faults({ screenLock: 'Pattern' });
  await rig.connect(shut);
  await rig.usable('Good');
  // Right after `adb connect`, a phone may be listed as unauthorized although it is not.
  const lines = await eventually('the problems of both phones to be reported', async () => {
    const diagnosis = await ask();
    const isReported = (words: string) => diagnosis.some((line) => line.includes(words));
    return ['press Allow', 'locked with a pattern'].every(isReported) && diagnosis;
  });
  expect(lines).toContainEqual(expect.stringMatching(/^ok {2}the adb server at 127\.0\.0\.1:\d+ answers/));
  expect(lines).toContainEqual(expect.stringContaining('Google Good, Android 14, 6.2", 1080x2400'));
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^FIX 127.*press Allow on "Allow USB debugging\?".*revoke USB debugging authorizations.*"Disable adb authorization timeout"/,
    ),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(/^FIX 127.*locked with a pattern: remove its screen lock/),
  );
  // The tests use a stand-in for the server file, which the doctor reports.
  expect(lines).toContainEqual(
    expect.stringMatching(/^FIX PHONEBOOTH_SCRCPY_SERVER is not scrcpy-server v3\.3\.3/),
  );
});

test('names a phone that is plugged in without USB debugging', async () => {
  const usb = join(rig.folder, 'usb');
  await mkdir(join(usb, '1-1:1.0'), { recursive: true });
  await mkdir(join(usb, '1-1'));
  await writeFile(join(usb, '1-1', 'idVendor'), '04e8\n');
  await writeFile(join(usb, '1-1:1.0', 'bInterfaceClass'), '06\n');
  const lines = await ask();
  expect(lines).toContainEqual(
    expect.stringMatching(/^FIX a phone \(Samsung\) at USB port 1-1 .*Auto Blocker/),
  );
  await rm(usb, { recursive: true });
});

test('reports a missing adb program and an unreachable adb server', async () => {
  const lines = await ask({ port: 1, path: '/nowhere', mayStart: true });
  expect(lines).toContainEqual('FIX adb is not on the PATH: install it (Debian and Ubuntu: apt install adb)');
  expect(lines).toContainEqual(expect.stringContaining('no adb server answers at 127.0.0.1:1'));
});
