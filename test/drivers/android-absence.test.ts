import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RenamingAdbServer } from '../fixtures/phone-double/renaming-adb-server.ts';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

const seen = (rig: AndroidRig, model: string) =>
  rig.seen.filter(({ description }) => description.model === model);

describe('a phone that adb briefly does not list', () => {
  let rig: AndroidRig;
  beforeAll(async () => {
    rig = await AndroidRig.start({
      timings: { absenceMs: 20_000, reconnectMs: 250, maxReconnectMs: 1_000 },
    });
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const isAbsent = (model: string) => seen(rig, model)[0]?.problem?.startsWith('unplugged');

  test('keeps its session, which continues with a new keyframe', async () => {
    const double = await rig.plugIn({ serial: 'BLINK1', model: 'Hub' });
    await using borrowed = await Borrowed.open(await rig.usable('Hub'));
    const before = borrowed.keyframes();
    await rig.pullCable(double);
    await eventually('the phone to become unreachable', () =>
      borrowed.perform('tap', { x: 0.5, y: 0.5 }).then(
        () => false,
        () => true,
      ),
    );
    // A problem that a session can survive is not reported, because a reported problem would end the session.
    expect(seen(rig, 'Hub').map(({ problem }) => problem)).toEqual([null]);
    await rig.plugBackIn(double);
    await eventually('a new keyframe', () => borrowed.keyframes() > before);
    await borrowed.perform('tap', { x: 0.5, y: 0.5 });
    expect(borrowed.lost).toBeNull();
  });

  test('is started by a second attempt', async () => {
    const double = await rig.plugIn({ serial: 'BLINK2', model: 'Unlocking' });
    const phone = await rig.usable('Unlocking');
    await double.faults({ hangShell: true });
    const asked = (await double.report()).events.length;
    const opening = Borrowed.open(phone);
    opening.catch(() => {});
    await eventually('the start to begin', async () =>
      (await double.report()).events
        .slice(asked)
        .some(
          (event) => event.type === 'command' && event.line.startsWith('cat /proc/sys/kernel/random/boot_id'),
        ),
    );
    await rig.pullCable(double);
    await eventually(
      'adb to stop listing the phone',
      async () => !(await rig.server.adb('devices')).includes(double.address),
    );
    expect(seen(rig, 'Unlocking').map(({ problem }) => problem)).toEqual([null]);
    await double.faults({ hangShell: false });
    await rig.plugBackIn(double);
    await using borrowed = await opening;
    await eventually('a frame', () => borrowed.keyframes() > 0);
  });

  test('is reported as unplugged while it is idle, and keeps its identifier', async () => {
    const double = await rig.plugIn({ serial: 'BLINK3', model: 'Idle' });
    const { description } = await rig.usable('Idle');
    await rig.pullCable(double);
    await eventually('the problem to be reported', () => isAbsent('Idle'));
    await rig.plugBackIn(double);
    expect((await rig.usable('Idle')).description).toEqual(description);
  });

  test('does not get a session that was starting when it restarted', async () => {
    const double = await rig.plugIn({ serial: 'BLINK4', model: 'Rebooted' });
    const phone = await rig.usable('Rebooted');
    await double.faults({ settingsAway: true });
    const opening = Borrowed.open(phone);
    opening.catch(() => {});
    await eventually('the start to begin', async () =>
      (await double.report()).events.some(
        (event) => event.type === 'command' && event.line.includes('settings get'),
      ),
    );
    await rig.pullCable(double);
    await double.do('reboot');
    await double.faults({ settingsAway: false, booting: false });
    await rig.plugBackIn(double);
    await expect(opening).rejects.toThrow('the phone restarted while the session was starting');
    expect((await double.report()).scrcpyStarts).toBe(0);
  });
});

test('a phone that is absent for 1.5 s keeps its session with the default limit', async () => {
  await using rig = await AndroidRig.start({ timings: {} });
  const double = await rig.plugIn({ serial: 'BLINK5', model: 'Default' });
  await using borrowed = await Borrowed.open(await rig.usable('Default'));
  const before = borrowed.keyframes();
  const pulledAt = performance.now();
  await rig.pullCable(double);
  await eventually('1.5 s to pass', () => performance.now() - pulledAt >= 1_500);
  expect(borrowed.lost).toBeNull();
  await rig.plugBackIn(double);
  await eventually('a new keyframe', () => borrowed.keyframes() > before);
  expect(borrowed.lost).toBeNull();
});

test('reconnects a network phone after an absence that exceeds the limit for USB phones', async () => {
  const absenceMs = 500;
  await using rig = await AndroidRig.start({
    timings: { absenceMs, reconnectMs: 250, maxReconnectMs: 1_000 },
  });
  const problem = () => seen(rig, 'Far')[0]?.problem;
  const double = await rig.plugIn({ serial: 'FAR1', model: 'Far' });
  const { description } = await rig.usable('Far');
  await double.do('unplug');
  await eventually('the phone to be offline', () => problem()?.startsWith('offline'));
  // An adb server removes the phone by itself after its last reconnection attempt, but that takes minutes.
  await rig.server.adb('disconnect', double.address);
  await eventually('the adb server to lose the phone', () => problem()?.startsWith('unplugged'));
  const lostAt = performance.now();
  await eventually('the limit to pass', () => performance.now() - lostAt > 4 * absenceMs);
  expect(problem()).toMatch(/^unplugged/);
  await double.do('plugIn');
  expect((await rig.usable('Far')).description).toEqual(description);
});

describe('phones with the same serial number', () => {
  test('are both reported, and neither is available until one of them is unplugged', async () => {
    await using rig = await AndroidRig.start();
    const first = await rig.plugIn({ serial: '0123456789ABCDEF', model: 'Cheap' });
    const { description } = await rig.usable('Cheap');
    const second = await rig.plugIn({ serial: '0123456789ABCDEF', alias: 'second', model: 'Cheaper' });
    const shared = () => rig.seen.filter(({ problem }) => problem?.startsWith('another phone'));
    await eventually('both phones to be reported', () => shared().length === 2);
    expect(new Set(rig.seen.map((phone) => phone.description.id)).size).toBe(2);
    expect(seen(rig, 'Cheap')[0]?.description.id).toBe(description.id);
    await expect(Borrowed.open(seen(rig, 'Cheaper')[0]!)).rejects.toThrow('the same serial number');
    await rig.pullCable(second);
    expect((await rig.usable('Cheap')).description).toEqual(description);
    expect(rig.seen).toHaveLength(1);
    await rig.pullCable(first);
  });

  test('are distinguished by their transports if adb lists both over USB', async () => {
    await using rig = await AndroidRig.start();
    const model = { serial: 'ABCDEF', width: 360, height: 640 };
    const first = await rig.phones.add({ ...model, model: 'Left' });
    const second = await rig.phones.add({ ...model, model: 'Right', alias: 'right' });
    const serials = new Map([first, second].map(({ address }) => [address, 'ABCDEF']));
    await using server = await RenamingAdbServer.start(rig.server.port, serials);
    await rig.driver[Symbol.asyncDispose]();
    await rig.startDriver({ address: { host: '127.0.0.1', port: server.port } });
    await rig.connect(first);
    await rig.usable('Left');
    await rig.connect(second);
    await eventually(
      'both phones to be reported',
      () => seen(rig, 'Left').length === 1 && seen(rig, 'Right').length === 1,
    );
    expect(rig.seen.every(({ problem }) => problem?.startsWith('another phone'))).toBe(true);
    await rig.pullCable(first);
    await using borrowed = await Borrowed.open(await rig.usable('Right'));
    expect(borrowed.keyframes()).toBe(1);
  });
});
