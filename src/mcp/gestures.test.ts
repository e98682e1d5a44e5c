import { expect, test } from 'vitest';
import type { PhoneSession } from '../client/phone-session.ts';
import { moveFingers } from './gestures.ts';

type Touch = Parameters<PhoneSession['touch']>[0];

function fakeSession(failsAt = Number.POSITIVE_INFINITY) {
  const touches: Touch[] = [];
  const touch = async (params: Touch) => {
    touches.push(params);
    if (touches.length === failsAt) throw new Error('connection lost');
  };
  return { touches, session: { touch } as unknown as PhoneSession };
}

const across = { from: { x: 0.2, y: 0.5 }, to: { x: 0.8, y: 0.5 } };
const signal = new AbortController().signal;

test('moves all fingers at once from their start to their end', async () => {
  const { touches, session } = fakeSession();
  await moveFingers(session, [across, { from: across.to, to: across.from }], { ms: 100, signal });
  const moves = Array.from({ length: (touches.length - 4) / 2 }, () => ['move 0', 'move 1']).flat();
  expect(touches.map(({ action, pointer }) => `${action} ${pointer}`)).toEqual([
    ...['down 0', 'down 1', ...moves, 'up 0', 'up 1'],
  ]);
  expect(touches[0]).toMatchObject(across.from);
  expect(touches.at(-2)).toMatchObject(across.to);
});

test('lifts its fingers when the gesture fails or is cancelled', async () => {
  const { touches, session } = fakeSession(3);
  await expect(moveFingers(session, [across, across], { ms: 100, signal })).rejects.toThrow(
    'connection lost',
  );
  expect(touches.slice(-2)).toMatchObject([
    { action: 'cancel', pointer: 0 },
    { action: 'cancel', pointer: 1 },
  ]);
  const other = fakeSession();
  const cancelled = AbortSignal.abort();
  await expect(
    moveFingers(other.session, [across], { ms: 100, holdMs: 1_000, signal: cancelled }),
  ).rejects.toThrow();
  expect(other.touches.at(-1)).toMatchObject({ action: 'cancel' });
});
