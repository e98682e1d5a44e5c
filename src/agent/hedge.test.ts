import { expect, test } from 'vitest';
import { hedge } from './hedge.ts';

test('sends one request if the answer arrives in time', async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return 'answer';
  };
  expect(await hedge(ask, 1)).toBe('answer');
  expect(asked).toBe(1);
});

test('sends another request when one is not answered', async () => {
  const answers = [
    new Promise<string>(() => {}),
    new Promise<string>(() => {}),
    Promise.resolve('third answer'),
  ];
  const ask = () => answers.shift() ?? Promise.reject(new Error('too many requests'));
  expect(await hedge(ask, 5)).toBe('third answer');
});

test('returns the first answer, whichever request it belongs to', async () => {
  const first = Promise.withResolvers<string>();
  let asked = 0;
  const ask = () => {
    asked += 1;
    if (asked === 3) first.resolve('first answer');
    return asked === 1 ? first.promise : new Promise<string>(() => {});
  };
  expect(await hedge(ask, 5)).toBe('first answer');
});

test('stops at the first failure', async () => {
  await expect(hedge(() => Promise.reject(new Error('unreachable')), 5)).rejects.toThrow('unreachable');
});
