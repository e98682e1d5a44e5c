import { afterAll, beforeAll, expect, test } from 'vitest';
import { promised } from '../nightly.ts';
import { AndroidRig, eventually } from './android-rig.ts';

let rig: AndroidRig;

beforeAll(async () => {
  rig = await AndroidRig.start();
});
afterAll(() => rig[Symbol.asyncDispose]());

const startAgain = async () => {
  await rig.driver[Symbol.asyncDispose]();
  const started = performance.now();
  await rig.startDriver();
  return performance.now() - started;
};

test('a started driver knows all phones, so that a restarted host omits none', async () => {
  const shy = await rig.phones.add({ serial: 'FIRST0', model: 'Shy' });
  await shy.faults({ unauthorized: true });
  await rig.connect(shy);
  for (const model of ['One', 'Two', 'Three']) {
    await rig.plugIn({ serial: `FIRST${model}`, model });
    await rig.usable(model);
  }
  await startAgain();
  const problems = Object.fromEntries(
    rig.seen.map(({ description, problem }) => [description.model, problem]),
  );
  expect(problems).toMatchObject({ One: null, Two: null, Three: null });
  expect(rig.seen).toHaveLength(4);
});

test('does not wait for a phone that hangs', async () => {
  const double = await rig.plugIn({ serial: 'FIRSTHANG', model: 'Hanging' });
  await rig.usable('Hanging');
  await double.faults({ hangShell: true });
  expect(await startAgain()).toBeLessThan(promised(8_000));
  expect(rig.seen.filter(({ problem }) => problem === null)).toHaveLength(3);
});

test('reports the charge of the battery when it changes', async () => {
  const double = await rig.plugIn({ serial: 'FIRSTBATTERY', model: 'Draining' });
  await rig.usable('Draining');
  await rig.driver[Symbol.asyncDispose]();
  await rig.startDriver({ timings: { batteryEveryMs: 100 } });
  const percent = () =>
    rig.seen.find(({ description: { model } }) => model === 'Draining')?.description.battery_percent;
  await eventually('the first charge', () => percent() === 64);
  await double.faults({ batteryLevel: 63 });
  await eventually('the changed charge', () => percent() === 63);
});
