import { afterAll, beforeAll, expect, test } from 'vitest';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

let rig: AndroidRig;

beforeAll(async () => {
  rig = await AndroidRig.start();
});
afterAll(() => rig[Symbol.asyncDispose]());

const problem = (model: string) => rig.seen.find((phone) => phone.description.model === model)?.problem;
const cleaning = () => ({ signal: AbortSignal.timeout(60_000) });
const WITH_A_PIN = /^the phone is locked with a PIN: remove its screen lock/;

test('does not offer a phone with a PIN until the PIN is removed', async () => {
  const double = await rig.phones.add({ serial: 'LOCK1', model: 'Behind' });
  await double.faults({ screenLock: 'Pin' });
  await rig.connect(double);
  await eventually('the problem to be reported', () => WITH_A_PIN.test(problem('Behind') ?? ''));
  await double.faults({ screenLock: 'None' });
  await rig.usable('Behind');
});

test('reports that an older phone is locked', async () => {
  const double = await rig.phones.add({ serial: 'LOCK2', model: 'Older', release: '9', sdk: 28 });
  await double.faults({ screenLock: 'Pattern' });
  await rig.connect(double);
  await eventually('the problem to be reported', () =>
    problem('Older')?.includes('locked with a PIN, a pattern or a password'),
  );
});

test('fails to start a session with the reason if a PIN was set after the last check', async () => {
  const double = await rig.plugIn({ serial: 'LOCK3', model: 'Later' });
  const phone = await rig.usable('Later');
  await double.faults({ screenLock: 'Password' });
  await expect(Borrowed.open(phone)).rejects.toMatchObject({
    name: 'DriverError',
    message: expect.stringContaining('locked with a password'),
  });
  await eventually('the problem to be reported', () => problem('Later')?.includes('locked with a password'));
});

test('does not clean a phone with a PIN from a session until the PIN is removed', async () => {
  const double = await rig.plugIn({ serial: 'LOCK4', model: 'Left' });
  const phone = await rig.usable('Left');
  {
    await using borrowed = await Borrowed.open(phone);
    await borrowed.perform('clipboard.set', { text: 'a secret' });
    await double.faults({ screenLock: 'Pin' });
  }
  await expect(phone.clean(cleaning())).rejects.toThrow(WITH_A_PIN);
  // Everything else was cleaned.
  expect((await double.report()).clipboard).toBe('');
  await eventually('the problem to be reported', () => WITH_A_PIN.test(problem('Left') ?? ''));
  await double.faults({ screenLock: 'None' });
  const again = await rig.usable('Left');
  await again.clean(cleaning());
  await using next = await Borrowed.open(again);
  await eventually('a frame', () => next.keyframes() > 0);
});
