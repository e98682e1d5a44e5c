import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

const COUNT = 20;
let rig: AndroidRig;
const doubles: PhoneHandle[] = [];

beforeAll(async () => {
  rig = await AndroidRig.start();
  const trouble = [
    { hangShell: true },
    { unauthorized: true },
    { booting: true },
    { failingEncoders: 'all' },
  ] as const;
  for (let index = 0; index < COUNT; index++) {
    const double = await rig.phones.add({
      serial: `SHELF${index}`,
      model: `Shelf ${index}`,
      width: 360,
      height: 640,
    });
    if (trouble[index]) await double.faults(trouble[index]);
    doubles.push(double);
  }
  await Promise.all(doubles.map((double) => rig.connect(double)));
}, 120_000);
afterAll(() => rig[Symbol.asyncDispose]());

test('twenty phones, four of which misbehave: the sixteen others can be lent, in time', async () => {
  await eventually('all twenty are seen', () => rig.seen.length === COUNT, 40_000);
  // One can be lent and will fail to show a picture; one hangs, one is unauthorized, one is starting.
  const usable = () => rig.seen.filter((phone) => phone.problem === null);
  await eventually('seventeen can be lent', () => usable().length === COUNT - 3, 40_000);
  const problems = rig.seen.flatMap(({ problem }) => problem ?? []);
  expect(problems.some((problem) => problem.startsWith('unauthorized'))).toBe(true);
  expect(problems).toContain('the phone is starting');
}, 90_000);

test('sessions on five of them go on while a sixth is unplugged, killed and hung', async () => {
  const open = (index: number) => rig.usable(`Shelf ${index}`).then((phone) => Borrowed.open(phone));
  await using stack = new AsyncDisposableStack();
  const five = await Promise.all([5, 6, 7, 8, 9].map(open));
  for (const borrowed of five) stack.use(borrowed);
  const sixth = stack.use(await open(10));
  await doubles[10]!.do('killScrcpy');
  await doubles[10]!.faults({ hangShell: true });
  await doubles[11]!.do('unplug');
  await Promise.all(
    five.map(async (borrowed, index) => {
      await borrowed.perform('tap', { x: 0.5, y: 0.5 });
      await eventually('its tap', async () =>
        (await doubles[index + 5]!.report()).events.some((event) => event.type === 'touch'),
      );
      expect(borrowed.lost).toBeNull();
    }),
  );
  await eventually('the sixth is lost', () => sixth.lost, 40_000);
}, 120_000);
