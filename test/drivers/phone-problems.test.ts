import { expect, test } from 'vitest';
import { nextStep } from '../../src/domain/next-step.ts';
import { problemOf, SHARED_SERIAL_NUMBER } from '../../src/drivers/android/phone-problems.ts';

const stepFor = (problem: string | null) =>
  nextStep({
    condition: 'offline',
    present: true,
    problem,
    host: { name: 'shelf', state: 'up' },
    claimedBy: null,
  });

test.each(['unauthorized', 'offline', 'no-permissions', 'server-away', 'gone', 'other'] as const)(
  'explains to an operator what to do with a phone that is %s',
  (state) => {
    expect(stepFor(problemOf(state))).not.toBe(stepFor('an unknown problem'));
  },
);

test('explains to an operator what to do with two phones that share a serial number', () => {
  expect(stepFor(SHARED_SERIAL_NUMBER)).not.toBe(stepFor('an unknown problem'));
});
