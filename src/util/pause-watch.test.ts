import { afterEach, expect, test } from 'vitest';
import { PauseWatch } from './pause-watch.ts';

const clocks = { steady: 0, wall: 1_000_000 };
const watch = () => new PauseWatch([() => clocks.steady, () => clocks.wall]);
const pass = (ms: number) => {
  clocks.steady += ms;
  clocks.wall += ms;
};
let open: PauseWatch | undefined;
afterEach(() => open?.[Symbol.dispose]());

test('a process that is there all the time is not in doubt', () => {
  open = watch();
  for (let n = 0; n < 100; n++) {
    pass(4_000);
    expect(open.isInDoubt).toBe(false);
  }
});

test.each([
  ['stopped', () => pass(30_000)],
  ['on a machine that slept', () => (clocks.wall += 30_000)],
])('one that was %s is, from the first look on, until it has asked and heard', (_, away) => {
  open = watch();
  away();
  expect(open.isInDoubt).toBe(true);
  pass(10);
  expect(open.isInDoubt).toBe(true);
  open.ask()();
  expect(open.isInDoubt).toBe(false);
});

test('what was asked before the pause confirms nothing', () => {
  open = watch();
  const heard = open.ask();
  pass(30_000);
  heard();
  expect(open.isInDoubt).toBe(true);
});

test('a clock that is set back is no pause', () => {
  open = watch();
  clocks.wall -= 3_600_000;
  expect(open.isInDoubt).toBe(false);
});
