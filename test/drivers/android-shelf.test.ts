import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Faults } from '../fixtures/phone-double/phone-state.ts';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { promised } from '../nightly.ts';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

const COUNT = 20;
/**
 * Six phones that misbehave as soon as they are plugged in, by their index. Three more will misbehave in their
 * sessions.
 */
const TROUBLE: { faults: Partial<Faults>; says: RegExp | null }[] = [
  { faults: { unauthorized: true }, says: /^unauthorized/ },
  { faults: { silent: true }, says: /^offline/ },
  { faults: { hangShell: true }, says: /did not finish getprop within 10 s/ },
  { faults: { booting: true }, says: /^the phone is starting$/ },
  { faults: { screenLock: 'Pin' }, says: /locked with a PIN/ },
  // This fault becomes visible only in a session.
  { faults: { failingEncoders: 'all' }, says: null },
];
const [KILLED, UNPLUGGED, REBOOTED] = [6, 7, 8];
const HEALTHY = [10, 11, 12, 13, 14];
const SPARE = 15;
/**
 * Every step of the other phones takes well under a second on an idle machine. A command that hangs on a phone times
 * out after 10 s.
 */
const STEP_MS = 9_000;

let rig: AndroidRig;
const doubles: PhoneHandle[] = [];

beforeAll(async () => {
  rig = await AndroidRig.start();
  for (let index = 0; index < COUNT; index++) {
    const model = { serial: `SHELF${index}`, model: `Shelf ${index}`, width: 360, height: 640 };
    const double = await rig.phones.add(model);
    await double.faults(TROUBLE[index]?.faults ?? {});
    doubles.push(double);
  }
  // adb itself waits for the silent phone and reports a failure.
  await Promise.all(doubles.map((double) => rig.connect(double).catch(() => {})));
});
afterAll(() => rig[Symbol.asyncDispose]());

const phone = (index: number) => rig.seen.find(({ description }) => description.model === `Shelf ${index}`);
const usable = () => rig.seen.filter(({ problem }) => problem === null);
const open = async (index: number) => Borrowed.open(await rig.usable(`Shelf ${index}`));
const disconnect = (double: PhoneHandle) => rig.server.adb('disconnect', double.address);

async function tap(index: number, borrowed: Borrowed): Promise<void> {
  const before = (await doubles[index]!.report()).events.length;
  await borrowed.perform('tap', { x: 0.5, y: 0.5 });
  const isTouch = async () =>
    (await doubles[index]!.report()).events.slice(before).some(({ type }) => type === 'touch');
  await eventually(`the tap on phone ${index}`, isTouch, promised(STEP_MS));
}

test('reports how each faulty phone misbehaves and keeps all others available', async () => {
  await eventually('fifteen available phones', () => usable().length === COUNT - 5);
  for (const { faults, says } of TROUBLE) {
    if (says === null) continue;
    const isSaid = () => rig.seen.some(({ problem }) => says.test(problem ?? ''));
    await eventually(`the problem of the phone with ${Object.keys(faults)} to be reported`, isSaid);
  }
  expect(rig.seen).toHaveLength(COUNT);
  await expect(open(5)).rejects.toThrow('Failed to initialize c2.acme.avc.encoder');
});

test('continues sessions beside phones that are killed repeatedly, unplugged and restarted', async () => {
  await using stack = new AsyncDisposableStack();
  const healthy = await Promise.all(
    HEALTHY.map(async (index) => ({ index, borrowed: stack.use(await open(index)) })),
  );
  const killed = stack.use(await open(KILLED));
  const unplugged = stack.use(await open(UNPLUGGED));
  const rebooted = stack.use(await open(REBOOTED));

  const killing = (async () => {
    while (!killed.lost) {
      const before = killed.keyframes();
      await doubles[KILLED]!.do('killScrcpy');
      await eventually(
        'another frame, or the end of the session',
        () => killed.lost || killed.keyframes() > before,
      );
    }
  })();
  await rig.pullCable(doubles[UNPLUGGED]!);
  await disconnect(doubles[REBOOTED]!);
  await doubles[REBOOTED]!.do('reboot');

  for (let round = 0; round < 5; round++)
    await Promise.all(healthy.map(({ index, borrowed }) => tap(index, borrowed)));
  stack.use(await open(SPARE));
  await killing;
  await Promise.all(healthy.map(({ index, borrowed }) => tap(index, borrowed)));
  expect(healthy.map(({ borrowed }) => borrowed.lost)).toEqual(HEALTHY.map(() => null));

  expect(killed.lost?.detail).toMatch(/^the phone's screen could not be captured/);
  expect((await doubles[KILLED]!.report()).scrcpyStarts).toBeLessThanOrEqual(6);
  await eventually('both other sessions to be lost', () => unplugged.lost && rebooted.lost);
});

test('makes all twenty phones available once their faults are fixed', async () => {
  for (const index of TROUBLE.keys()) {
    const faults = { unauthorized: false, silent: false, hangShell: false, booting: false } as const;
    await doubles[index]!.faults({ ...faults, screenLock: 'None', failingEncoders: 'none' });
  }
  for (const index of [1, UNPLUGGED, REBOOTED]) {
    await doubles[index]!.do('drop');
    await doubles[index]!.do('plugIn');
    await disconnect(doubles[index]!).catch(() => {});
    await rig.connect(doubles[index]!);
  }
  // A phone that has not booted has not yet reported its name.
  const isStarting = () => rig.seen.some(({ problem }) => problem === 'the phone is starting');
  await eventually('the phone to boot', isStarting);
  await doubles[REBOOTED]!.faults({ booting: false });
  // The driver retries a phone that hung or was locked after at most half a minute.
  await eventually('twenty available phones', () => usable().length === COUNT);
  for (const index of [2, 4, 5, KILLED, UNPLUGGED, REBOOTED]) {
    await phone(index)!.clean({ signal: AbortSignal.timeout(60_000) });
    await using borrowed = await open(index);
    await eventually(`a frame of phone ${index}`, () => borrowed.keyframes() > 0);
  }
});
