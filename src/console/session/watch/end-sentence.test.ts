import { expect, test } from 'vitest';
import { endSentence } from './end-sentence.ts';

test.each([
  [1000, 'A client ended the session. Ask'],
  [4001, 'The session reached its time limit. Ask'],
  [4003, 'An operator ended the session, or the link was revoked. Ask'],
  [4004, 'The phone was lost: it was unplugged, or it stopped responding. Ask'],
  [null, 'Ask'],
])('explains a stream that was closed with %s', (code, begin) => {
  expect(endSentence(code)).toBe(`${begin} the sender of the link for a new one.`);
});
