import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AndroidDriver } from '../../src/drivers/android/android-driver.ts';
import { promised } from '../nightly.ts';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

let rig: AndroidRig;

beforeAll(async () => {
  rig = await AndroidRig.start();
});
afterAll(() => rig[Symbol.asyncDispose]());

const problem = (model: string) => rig.seen.find((phone) => phone.description.model === model)?.problem;

describe('an unavailable phone reports what to do', () => {
  test('if it is unauthorized, until a user allows USB debugging', async () => {
    const double = await rig.phones.add({ serial: 'UNAUTH01', model: 'Shy' });
    await double.faults({ unauthorized: true });
    await rig.connect(double);
    await eventually('the problem to be reported', () =>
      rig.seen.some((phone) => phone.problem?.includes('press Allow on "Allow USB debugging?"')),
    );
    await double.faults({ unauthorized: false });
    await rig.usable('Shy');
    expect(rig.seen).toHaveLength(1);
    await rig.pullCable(double);
    await eventually('the problem to disappear', () => rig.seen.length === 0);
  });

  test('disappears from the list if it is unplugged before it is authorized', async () => {
    const double = await rig.phones.add({ serial: 'UNAUTH02', model: 'Ghost' });
    await double.faults({ unauthorized: true });
    await rig.connect(double);
    await eventually('the problem to be reported', () => rig.seen.length === 1);
    await rig.server.adb('disconnect', double.address);
    await eventually('the phone to be removed', () => rig.seen.length === 0);
  });

  test('while it boots', async () => {
    const double = await rig.phones.add({ serial: 'BOOT01', model: 'Slow' });
    await double.faults({ booting: true });
    await rig.connect(double);
    await eventually('the problem to be reported', () =>
      rig.seen.some((phone) => phone.problem === 'the phone is starting'),
    );
    await double.faults({ booting: false });
    await rig.usable('Slow');
  });

  test('if it is offline because it does not respond', async () => {
    const double = await rig.plugIn({ serial: 'MUTE01', model: 'Mute' });
    await rig.usable('Mute');
    await double.faults({ silent: true });
    await double.do('drop');
    await eventually('the problem to be reported', () => problem('Mute')?.startsWith('offline'));
    await double.faults({ silent: false });
    await double.do('drop');
    await rig.server.adb('disconnect', double.address);
    await rig.connect(double);
    await rig.usable('Mute');
  });
});

describe('a fault during a session', () => {
  test('unplugging the phone ends the session, and the phone is available again when it is back', async () => {
    const double = await rig.plugIn({ serial: 'CABLE01', model: 'Cable' });
    const phone = await rig.usable('Cable');
    await using borrowed = await Borrowed.open(phone);
    await rig.pullCable(double);
    await eventually('the session to be lost', () => borrowed.lost);
    expect(borrowed.lost).toEqual({ detail: 'the phone was unplugged or restarted' });
    await expect(borrowed.perform('screenshot')).rejects.toMatchObject({ kind: 'failed' });
    await borrowed[Symbol.asyncDispose]();
    await eventually('the phone to disappear', () => problem('Cable') === undefined);
    await rig.plugBackIn(double);
    const again = await rig.usable('Cable');
    expect(again.description.id).toBe(phone.description.id);
    await again.clean({ signal: AbortSignal.timeout(60_000) });
    expect((await double.report()).settings['global stay_on_while_plugged_in']).toBe('0');
  });

  test('killing the scrcpy server sends viewers a new keyframe and preserves control', async () => {
    const double = await rig.plugIn({ serial: 'KILL01', model: 'Killed' });
    await using borrowed = await Borrowed.open(await rig.usable('Killed'));
    const before = borrowed.packets.length;
    await double.do('killScrcpy');
    await eventually('a new keyframe', () =>
      borrowed.packets.slice(before).some((it) => it.type === 'keyframe'),
    );
    expect((await double.report()).scrcpyStarts).toBe(2);
    await eventually('a tap to arrive', async () => {
      await borrowed.perform('tap', { x: 0.5, y: 0.5 }).catch(() => {});
      return (await double.report()).events.some((event) => event.type === 'touch');
    });
    expect(borrowed.lost).toBeNull();
  });

  test('killing the adb server is recovered automatically, including the session', async () => {
    await rig.plugIn({ serial: 'ADB01', model: 'Back' });
    await using borrowed = await Borrowed.open(await rig.usable('Back'));
    const before = borrowed.packets.length;
    await rig.server.kill();
    await eventually('the problem to be reported for idle phones', () =>
      problem('Slow')?.includes('adb server is unavailable'),
    );
    // This does not end a session: the session waits.
    expect(problem('Back')).toBeNull();
    await rig.server.start();
    await eventually('a new keyframe', () =>
      borrowed.packets.slice(before).some((it) => it.type === 'keyframe'),
    );
    await rig.usable('Slow');
    await borrowed.perform('tap', { x: 0.5, y: 0.5 });
    expect(borrowed.lost).toBeNull();
  });

  test('a hanging shell fails the command in time, and the video continues', async () => {
    const double = await rig.plugIn({ serial: 'HANG01', model: 'Hanging' });
    await using borrowed = await Borrowed.open(await rig.usable('Hanging'));
    await double.faults({ hangShell: true });
    const asked = borrowed.session.perform('screenshot', {}, { signal: AbortSignal.timeout(1_000) });
    await expect(asked).rejects.toThrow();
    await borrowed.perform('tap', { x: 0.5, y: 0.5 });
    const started = performance.now();
    await expect(borrowed.perform('screenshot')).rejects.toThrow('did not finish screencap -p within 10 s');
    expect(performance.now() - started).toBeLessThan(promised(15_000));
  });
});

describe('video encoders', () => {
  test('falls back to the next encoder if the first choice fails', async () => {
    const double = await rig.phones.add({ serial: 'ENC01', model: 'Encoder' });
    await double.faults({ failingEncoders: 'default' });
    await rig.connect(double);
    await using borrowed = await Borrowed.open(await rig.usable('Encoder'));
    expect(borrowed.keyframes()).toBe(1);
  });

  test('reports the phone’s reason if no encoder works', async () => {
    const double = await rig.phones.add({ serial: 'ENC02', model: 'Blind' });
    await double.faults({ failingEncoders: 'all' });
    await rig.connect(double);
    const phone = await rig.usable('Blind');
    await expect(Borrowed.open(phone)).rejects.toMatchObject({
      name: 'DriverError',
      message: expect.stringContaining('Failed to initialize c2.acme.avc.encoder'),
    });
  });
});

test('accepts an old phone without sha256sum and mock locations', async () => {
  await rig.plugIn({ serial: 'OLD01', model: 'Old', release: '7.1.2', sdk: 25 });
  const phone = await rig.usable('Old');
  expect(phone.description.os_version).toBe('7');
  await using borrowed = await Borrowed.open(phone);
  expect(borrowed.session.capabilities).not.toContain('location.set');
  await expect(borrowed.perform('location.set', { lat: 1, lng: 1 })).rejects.toMatchObject({
    kind: 'unsupported',
  });
});

test('reports no phones and logs nothing without an adb server and an adb program', async () => {
  const words: string[] = [];
  const record = (_fields: object, message: string) => words.push(message);
  let attempts = 0;
  await using driver = new AndroidDriver({
    hostId: 'host-test',
    address: { host: '127.0.0.1', port: 1 },
    startServer: null,
    dataDir: rig.folder,
    scrcpyServer: null,
    screen: { maxSize: 800, maxFps: 30, bitRate: 4_000_000 },
    log: { debug: () => attempts++, info: record, warn: record, error: record },
  });
  await driver.start((phones) => expect(phones).toEqual([]));
  await eventually('two attempts', () => attempts >= 2);
  expect(words).toEqual([]);
});
