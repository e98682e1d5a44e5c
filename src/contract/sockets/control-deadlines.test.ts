import { expect, test } from 'vitest';
import { controlDeadlineMs } from './control-deadlines.ts';
import { CONTROL_METHODS, type ControlMethod } from './control-methods.ts';

const METHODS = Object.keys(CONTROL_METHODS) as ControlMethod[];

test.each(METHODS)('%s: times out first at the host, then at the gateway, then at the client', (method) => {
  const [host, gateway, client] = (['host', 'gateway', 'client'] as const).map((party) =>
    controlDeadlineMs(party, method),
  );
  expect(host).toBeLessThan(gateway!);
  expect(gateway).toBeLessThan(client!);
});

test('allows 5 minutes for installs and shell commands, 45 s for conditions and 15 s for all other commands', () => {
  const slow = METHODS.filter((method) => controlDeadlineMs('gateway', method) === 300_000);
  expect(slow).toEqual(['app.install', 'shell']);
  const quick = METHODS.filter((method) => controlDeadlineMs('gateway', method) === 15_000);
  expect(quick).toHaveLength(METHODS.length - slow.length - 1);
  expect(controlDeadlineMs('gateway', 'conditions.set')).toBe(45_000);
});

test('adds the duration of a gesture to its timeout', () => {
  expect(controlDeadlineMs('gateway', 'long_press', { x: 0, y: 0, ms: 60_000 })).toBe(75_000);
});
