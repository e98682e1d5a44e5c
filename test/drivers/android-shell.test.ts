import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Phone } from '../../src/drivers/driver.ts';
import { makeApk } from '../fixtures/apk.ts';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

const signal = () => AbortSignal.timeout(60_000);

describe.each([
  ['by default', {}],
  ['with the shell disabled by the operator', { allowShell: false }],
])('%s', (_, options) => {
  let rig: AndroidRig;
  let phone: Phone;

  beforeAll(async () => {
    rig = await AndroidRig.start(options);
    await rig.plugIn();
    phone = await rig.usable('Pixel 8');
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  test('neither the shell nor adb is available', async () => {
    await using borrowed = await Borrowed.open(phone);
    expect(borrowed.session.capabilities).not.toContain('shell');
    await expect(borrowed.perform('shell', { command: 'echo' })).rejects.toMatchObject({
      kind: 'unsupported',
    });
    await expect(borrowed.session.adb!({ signal: signal() })).rejects.toMatchObject({
      kind: 'unsupported',
      message:
        'shell and adb are not allowed on this phone; an operator can set PHONEBOOTH_ALLOW_SHELL=on on its host',
    });
  });
});

describe('with the shell enabled by the operator', () => {
  let rig: AndroidRig;
  let double: PhoneHandle;
  let apk: string;

  beforeAll(async () => {
    rig = await AndroidRig.start({ allowShell: true });
    double = await rig.plugIn();
    apk = join(rig.folder, 'app.apk');
    await writeFile(apk, makeApk({ packageName: 'org.acme.come' }));
  });
  afterAll(() => rig[Symbol.asyncDispose]());
  const phone = () => rig.usable('Pixel 8');
  const packages = async () => (await double.report()).packages;
  const installBesideTheDriver = () => rig.server.adb('-s', double.address, 'install', apk);

  test('returns the exit code and both outputs of a command, and tolerates an invalid command', async () => {
    await using borrowed = await Borrowed.open(await phone());
    expect(borrowed.session.capabilities).toContain('shell');
    expect(await borrowed.perform('shell', { command: 'echo one; nothing' })).toEqual({
      exit_code: 127,
      stdout: 'one\n',
      stderr: expect.stringContaining('nothing: inaccessible or not found'),
    });
  });

  test('identifies the phone over adb and rejects services of the adb server', async () => {
    await using borrowed = await Borrowed.open(await phone());
    await using adb = await borrowed.session.adb!({ signal: signal() });
    expect(adb.banner).toMatch(
      /^device::ro\.product\.name=pixel_8;ro\.product\.model=Pixel 8;ro\.product\.device=pixel_8;features=\S*shell_v2/,
    );
    await expect(adb.open('host:kill', { signal: signal() })).rejects.toMatchObject({ kind: 'unsupported' });
    await expect(adb.open('localabstract:nobody', { signal: signal() })).rejects.toMatchObject({
      kind: 'failed',
    });
    expect(await rig.server.adb('devices')).toContain(double.address);
  });

  test('waits for a service that the phone is slow to open over adb', async () => {
    await using borrowed = await Borrowed.open(await phone());
    await using adb = await borrowed.session.adb!({ signal: signal() });
    await rig.phones.pause();
    const pausedAt = performance.now();
    const opening = adb.open('exec:echo on', { signal: signal() });
    opening.catch(() => {});
    // Longer than the driver waits for a phone in its own commands.
    await eventually('the pause to pass', () => performance.now() - pausedAt > 6_000).finally(() =>
      rig.phones.resume(),
    );
    expect(await text(await opening)).toBe('on\n');
  });

  test('removes every app that was installed during a session and keeps the others', async () => {
    const borrowed = await Borrowed.open(await phone());
    await installBesideTheDriver();
    expect(await packages()).toContain('org.acme.come');
    await borrowed[Symbol.asyncDispose]();
    await (await phone()).clean({ signal: signal() });
    expect(await packages()).not.toContain('org.acme.come');
    expect(await packages()).toContain('org.acme.notes');
  });

  test('removes them even if the host dies during the session and resumes it', async () => {
    const before = await Borrowed.open(await phone());
    await installBesideTheDriver();
    await before[Symbol.asyncDispose]();
    await rig.driver[Symbol.asyncDispose]();
    await rig.startDriver();
    const after = await Borrowed.open(await phone());
    await after[Symbol.asyncDispose]();
    await (await phone()).clean({ signal: signal() });
    expect(await packages()).not.toContain('org.acme.come');
  });

  test('keeps apps that the operator installs between two sessions', async () => {
    await installBesideTheDriver();
    const borrowed = await Borrowed.open(await phone());
    await borrowed[Symbol.asyncDispose]();
    await (await phone()).clean({ signal: signal() });
    expect(await packages()).toContain('org.acme.come');
    await rig.server.adb('-s', double.address, 'shell', 'pm', 'uninstall', 'org.acme.come');
  });
});
