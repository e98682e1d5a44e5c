import { expect, test } from 'vitest';
import { askAgain } from './ask-again.ts';

test('an answer that comes soon is asked for once', async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return 'answer';
  };
  expect(await askAgain(ask, 1)).toBe('answer');
  expect(asked).toBe(1);
});

test('where nobody answers, another is asked', async () => {
  const answers = [
    new Promise<string>(() => {}),
    new Promise<string>(() => {}),
    Promise.resolve('the third'),
  ];
  const ask = () => answers.shift() ?? Promise.reject(new Error('asked too often'));
  expect(await askAgain(ask, 5)).toBe('the third');
});

test('the first answer counts, whoever was asked', async () => {
  const first = Promise.withResolvers<string>();
  let asked = 0;
  const ask = () => {
    asked += 1;
    if (asked === 3) first.resolve('the first');
    return asked === 1 ? first.promise : new Promise<string>(() => {});
  };
  expect(await askAgain(ask, 5)).toBe('the first');
});

test('a failure ends the asking', async () => {
  await expect(askAgain(() => Promise.reject(new Error('unreachable')), 5)).rejects.toThrow('unreachable');
});
