import { expect, test } from 'vitest';
import { PendingRequests } from './nats-pending.ts';

test('limits the pending requests to an unresponsive host and frees a slot with each answer', async () => {
  const requests = new PendingRequests<string>(16, 2);
  const add = (subject: string) => requests.add(subject, 'a host', 60_000);
  const held = [add('one'), add('one')];
  expect(() => add('one')).toThrow(/2 requests to a host are already in progress/);
  const other = add('two');
  requests.answer(held[0]!.token, 'answer');
  expect(await held[0]!.answer).toBe('answer');
  const again = add('one');
  for (const { token } of [held[1]!, other, again]) requests.answer(token, 'answer');
  await Promise.all([held[1]!.answer, other.answer, again.answer]);
});

test('uses unpredictable tokens for responses', async () => {
  const requests = new PendingRequests<string>(200, 200);
  const asked = Array.from({ length: 200 }, () => requests.add('subject', 'it', 60_000));
  const tokens = asked.map(({ token }) => token);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{22}$/);
  // 48 bits at either end, which a counter would leave equal at one of them
  for (const part of [(token: string) => token.slice(0, 8), (token: string) => token.slice(-8)])
    expect(new Set(tokens.map(part)).size).toBe(200);
  for (const { token } of asked) requests.answer(token, 'done');
  await Promise.all(asked.map(({ answer }) => answer));
});
