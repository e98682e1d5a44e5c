import { expect, test } from 'vitest';
import { endSentence } from './end-sentence.ts';

test.each([
  [1000, 'The phone was given back. There is'],
  [4001, 'The time was up. There is'],
  [4003, 'An operator ended the session, or the link was revoked. There is'],
  [4004, 'The phone was lost: it was unplugged, or it stopped answering. There is'],
  [null, 'There is'],
])('explains a stream that was closed with %s', (code, begin) => {
  expect(endSentence(code)).toBe(`${begin} nothing more to see. Ask the sender of the link for a new one.`);
});
