import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

const cleaning = () => ({ signal: AbortSignal.timeout(60_000) });
/** Processes that run on a phone before any session has used it. */
const OWN = ['init', 'main', 'adbd', 'm.android.shell', 'vendor (diag) d', 'org.acme.notes'];
/** Time that an old phone takes to start a virtual machine, and time that cleaning is allowed to take. */
const VIRTUAL_MACHINE_MS = 700;
const CLEAN_TIMEOUT_MS = 30_000;

describe('after a session with a shell', () => {
  let rig: AndroidRig;
  let double: PhoneHandle;
  beforeAll(async () => {
    rig = await AndroidRig.start({ allowShell: true });
    double = await rig.plugIn();
  });
  afterAll(() => rig[Symbol.asyncDispose]());
  const phone = () => rig.usable('Pixel 8');
  const processes = async () => (await double.report()).processes.filter((name) => name !== 'sh').toSorted();
  const shell = (borrowed: Borrowed, command: string) => borrowed.perform('shell', { command });

  test('no process remains, and older processes continue', async () => {
    {
      await using borrowed = await Borrowed.open(await phone());
      await shell(borrowed, 'nohup sleep 1000000 & setsid watchdog & echo started');
      expect(await processes()).toEqual(expect.arrayContaining(['sleep', 'watchdog']));
    }
    await (await phone()).clean(cleaning());
    expect(await processes()).toEqual(OWN.toSorted());
  });

  test('no process remains after another host process cleans the phone', async () => {
    {
      await using borrowed = await Borrowed.open(await phone());
      await shell(borrowed, 'sleep 1000000 & echo');
    }
    await rig.driver[Symbol.asyncDispose]();
    await rig.startDriver();
    await (await phone()).clean(cleaning());
    expect(await processes()).toEqual(OWN.toSorted());
  });

  test('no file remains in the shell’s folder, no reverse forward, and no port forward except older ones', async () => {
    const list = async () => (await rig.server.adb('forward', '--list')).trim().split('\n');
    const reverses = async () => (await rig.server.adb('-s', double.address, 'reverse', '--list')).trim();
    await rig.server.adb('-s', double.address, 'forward', 'tcp:0', 'tcp:7100');
    const before = await list();
    {
      await using _borrowed = await Borrowed.open(await phone());
      await rig.server.adb('-s', double.address, 'push', '/etc/hostname', '/data/local/tmp/left behind');
      await rig.server.adb('-s', double.address, 'forward', 'tcp:0', 'tcp:7101');
      expect(await list()).toHaveLength(2);
      await rig.server.adb('-s', double.address, 'reverse', 'tcp:8081', 'tcp:7101');
      expect(await reverses()).toContain('tcp:8081');
    }
    await (await phone()).clean(cleaning());
    const { files } = await double.report();
    expect(files.filter((path) => path.startsWith('/data/local/tmp/'))).toEqual([
      '/data/local/tmp/phonebooth-scrcpy-3.3.3.jar',
    ]);
    expect(await list()).toEqual(before);
    expect(await reverses()).toBe('');
  });
});

describe('after a session', () => {
  let rig: AndroidRig;
  beforeAll(async () => {
    rig = await AndroidRig.start();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  test.each([
    ['Android 13', 33],
    ['Android 14', 34],
  ])('%s: no app is open, and none is in the recent apps', async (release, sdk) => {
    const model = `Recents ${sdk}`;
    const double = await rig.plugIn({ serial: `RECENTS${sdk}`, model, sdk, release });
    {
      await using borrowed = await Borrowed.open(await rig.usable(model));
      await borrowed.perform('open_url', { url: 'https://example.com/' });
      await borrowed.perform('app.launch', { package: 'org.acme.notes' });
      expect((await double.report()).recents).toEqual(['com.android.chrome', 'org.acme.notes']);
    }
    await (await rig.usable(model)).clean(cleaning());
    expect(await double.report()).toMatchObject({ recents: [], running: [], front: null });
  });

  test('the UI hierarchy file is removed as soon as it is read', async () => {
    const double = await rig.plugIn({ serial: 'TREE1', model: 'Tree' });
    await using borrowed = await Borrowed.open(await rig.usable('Tree'));
    await borrowed.perform('ui.tree');
    expect((await double.report()).files.filter((path) => path.endsWith('.xml'))).toEqual([]);
  });

  test('the permission for mock locations is restored', async () => {
    const double = await rig.plugIn({ serial: 'MOCK1', model: 'Mock' });
    {
      await using borrowed = await Borrowed.open(await rig.usable('Mock'));
      await borrowed.perform('location.set', { lat: 1, lng: 2 });
      await borrowed.perform('location.set', { lat: 3, lng: 4 });
      expect((await double.report()).mockLocation).toBe('allow');
    }
    await (await rig.usable('Mock')).clean(cleaning());
    expect(await double.report()).toMatchObject({ mockLocation: 'default', location: null });
  });

  test('no scrcpy server remains on the phone, even if the start was aborted', async () => {
    const double = await rig.plugIn({ serial: 'WAIT1', model: 'Given up' });
    const phone = await rig.usable('Given up');
    await double.faults({ noSocketsByName: true });
    const giveUp = new AbortController();
    const opening = phone.open({ sessionId: 's', signal: giveUp.signal });
    opening.catch(() => {});
    const isWaiting = async () => (await double.report()).processes.includes('app_process');
    await eventually('the scrcpy server to wait', isWaiting);
    giveUp.abort();
    await expect(opening).rejects.toThrow();
    await eventually('the scrcpy server to exit', async () => !(await isWaiting()));
  });

  test('the rotation lock and the screen timeout are restored', async () => {
    const double = await rig.plugIn({ serial: 'TURN1', model: 'Turned' });
    const settings = async () => (await double.report()).settings;
    const before = await settings();
    {
      await using borrowed = await Borrowed.open(await rig.usable('Turned'));
      expect((await settings())['system screen_off_timeout']).toBe('2147483647');
      await borrowed.perform('rotate', { orientation: 'landscape' });
      await eventually(
        'the phone to be in landscape orientation',
        async () => (await double.report()).landscape,
      );
      expect((await settings())['system accelerometer_rotation']).toBe('0');
    }
    await (await rig.usable('Turned')).clean(cleaning());
    expect(await settings()).toEqual(before);
  });

  test('forty apps are stopped in time on an old phone', async () => {
    const double = await rig.plugIn({ serial: 'FORTY', model: 'Forty', release: '7.0', sdk: 24 });
    const names = Array.from({ length: 40 }, (_, index) => `org.acme.app${index}`);
    await double.do('addApps', names);
    await Borrowed.open(await rig.usable('Forty')).then((borrowed) => borrowed[Symbol.asyncDispose]());
    const { virtualMachines } = await double.report();
    await (await rig.usable('Forty')).clean(cleaning());
    const after = await double.report();
    expect(after.running).toEqual([]);
    expect((after.virtualMachines - virtualMachines) * VIRTUAL_MACHINE_MS).toBeLessThan(
      CLEAN_TIMEOUT_MS * 0.7,
    );
  });
});

test('a phone is restarted after each session if the operator configures it, and is then clean', async () => {
  await using rig = await AndroidRig.start({ restarts: true });
  const double = await rig.plugIn();
  const problem = () => rig.seen[0]?.problem;
  const restarts = async () => (await double.report()).restarts;
  const phone = await rig.usable('Pixel 8');
  await phone.clean(cleaning());
  expect(await restarts()).toBe(0);
  await Borrowed.open(phone).then((borrowed) => borrowed[Symbol.asyncDispose]());
  await expect(phone.clean(cleaning())).rejects.toThrow('restarting after a session');
  expect(problem()).toBe('restarting after a session');
  await eventually('the phone to restart', async () => (await restarts()) === 1);
  await rig.server.adb('disconnect', double.address).catch(() => {});
  expect(problem()).toBe('restarting after a session');
  await double.faults({ booting: false });
  await rig.plugBackIn(double);
  await (await rig.usable('Pixel 8')).clean(cleaning());
  expect(await restarts()).toBe(1);
  await using borrowed = await Borrowed.open(await rig.usable('Pixel 8'));
  expect(borrowed.keyframes()).toBe(1);
});
