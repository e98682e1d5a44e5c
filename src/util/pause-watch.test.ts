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

test('does not suspect a process that runs continuously', () => {
  open = watch();
  for (let n = 0; n < 100; n++) {
    pass(4_000);
    expect(open.isInDoubt).toBe(false);
  }
});

test.each([
  ['stopped', () => pass(30_000)],
  ['on a machine that was suspended', () => (clocks.wall += 30_000)],
])('suspects a process that was %s until a request sent afterwards is answered', (_, away) => {
  open = watch();
  away();
  expect(open.isInDoubt).toBe(true);
  pass(10);
  expect(open.isInDoubt).toBe(true);
  open.beginConfirmation()();
  expect(open.isInDoubt).toBe(false);
});

test('ignores the answer to a request from before the pause', () => {
  open = watch();
  const answered = open.beginConfirmation();
  pass(30_000);
  answered();
  expect(open.isInDoubt).toBe(true);
});

test('does not take a clock that is set back for a pause', () => {
  open = watch();
  clocks.wall -= 3_600_000;
  expect(open.isInDoubt).toBe(false);
});
