import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeApk } from '../fixtures/apk.ts';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

let rig: AndroidRig;
const CLEANING = () => ({ signal: AbortSignal.timeout(60_000) });

beforeAll(async () => {
  rig = await AndroidRig.start();
});
afterAll(() => rig[Symbol.asyncDispose]());

const phone = (model: string) => rig.seen.find((it) => it.description.model === model);
const problem = (model: string) => phone(model)?.problem;

/**
 * Takes a phone through a boot, from the first sign of it to the last moment before it becomes available. It must not
 * become available at any of these steps.
 */
async function startUp(double: PhoneHandle): Promise<void> {
  await double.faults({ silent: true });
  await double.do('plugIn');
  await rig.server.adb('disconnect', double.address).catch(() => {});
  // adb waits for a response that does not arrive.
  const connecting = rig.connect(double).catch(() => {});
  await eventually('adbd to listen without responding', () => problemOfAny(double)?.startsWith('offline'));
  await double.faults({ silent: false });
  await double.do('drop');
  await connecting;
  await rig.server.adb('disconnect', double.address);
  await rig.connect(double);
  const starting = () => problemOfAny(double) === 'the phone is starting';
  await eventually('the shell to respond before Android has booted', starting);
  await double.faults({ booting: false, systemAway: true });
  const asked = (await double.report()).events.length;
  await eventually('two more attempts', async () => {
    const { events } = await double.report();
    const after = events
      .slice(asked)
      .filter((it) => it.type === 'command' && it.line === 'pm path --user 0 android');
    return after.length >= 2;
  });
  expect(starting()).toBe(true);
  await double.faults({ systemAway: false });
}

/** Finds the phone by its serial, because the driver knows nothing else about it at first. */
const problemOfAny = (double: PhoneHandle) =>
  rig.seen.find(
    ({ description }) =>
      description.model === double.model.model || description.name.endsWith(double.address.slice(-4)),
  )?.problem;

test('a reboot during a session ends the session immediately, and the phone is available again once it is clean', async () => {
  const double = await rig.plugIn({ serial: 'REBOOT1', model: 'Rebooting' });
  const before = await rig.usable('Rebooting');
  const apk = join(rig.folder, 'left.apk');
  await writeFile(apk, makeApk({ packageName: 'org.acme.left' }));
  {
    await using borrowed = await Borrowed.open(before);
    await borrowed.session.install(
      {
        appId: 'app-1',
        packageName: 'org.acme.left',
        label: 'X',
        version: '1',
        minSdk: null,
        icon: null,
        files: [apk],
      },
      { signal: AbortSignal.timeout(60_000), onProgress: () => {} },
    );
    await borrowed.perform('app.launch', { package: 'org.acme.left' });
    await rig.server.adb('disconnect', double.address);
    await double.do('reboot');
    await eventually('the session to be lost', () => borrowed.lost);
    expect(borrowed.lost).toEqual({ detail: 'the phone was unplugged or restarted' });
    await expect(borrowed.perform('screenshot')).rejects.toMatchObject({ kind: 'failed' });
  }
  await startUp(double);
  const again = await rig.usable('Rebooting');
  expect(again.description.id).toBe(before.description.id);
  const left = await double.report();
  expect(left.packages).toContain('org.acme.left');
  expect(left.running).toEqual([]);
  expect(left.files).toContain('/data/local/tmp/phonebooth-scrcpy-3.3.3.jar');
  await again.clean(CLEANING());
  const clean = await double.report();
  expect(clean.packages).not.toContain('org.acme.left');
  expect(clean.settings['global stay_on_while_plugged_in']).toBe('0');
  await using next = await Borrowed.open(again);
  await eventually('a frame', () => next.keyframes() > 0);
});

test('a quick reboot of a network phone ends the session', async () => {
  const double = await rig.plugIn({ serial: 'REBOOT2', model: 'Quick' });
  await using borrowed = await Borrowed.open(await rig.usable('Quick'));
  await double.do('reboot');
  await double.faults({ booting: false });
  await double.do('plugIn');
  // The adb server keeps the phone in its list and reconnects to it within ten seconds.
  await eventually('the session to be lost', () => borrowed.lost);
  expect(borrowed.lost).toEqual({ detail: 'the phone restarted' });
  expect((await double.report()).scrcpyStarts).toBe(1);
});

test('a reboot between sessions makes the phone unavailable only until it has booted', async () => {
  const double = await rig.plugIn({ serial: 'REBOOT3', model: 'Idle' });
  const before = await rig.usable('Idle');
  await before.clean(CLEANING());
  await rig.server.adb('disconnect', double.address);
  await double.do('reboot');
  await eventually('the phone to disappear', () => phone('Idle') === undefined);
  await startUp(double);
  const again = await rig.usable('Idle');
  await again.clean(CLEANING());
  await using borrowed = await Borrowed.open(again);
  await eventually('a frame', () => borrowed.keyframes() > 0);
  expect(await double.report()).toMatchObject({ awake: true, locked: false });
});

test('a restart of Android alone is detected as soon as a command fails', async () => {
  const double = await rig.plugIn({ serial: 'REBOOT4', model: 'Soft' });
  const before = await rig.usable('Soft');
  await double.faults({ systemAway: true });
  await expect(Borrowed.open(before)).rejects.toMatchObject({ kind: 'failed' });
  await eventually('the problem to be reported', () => problem('Soft') === 'the phone is starting');
  await double.faults({ systemAway: false });
  await using borrowed = await Borrowed.open(await rig.usable('Soft'));
  await eventually('a frame', () => borrowed.keyframes() > 0);
});
