import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { linesOf, wantsLines } from './json-lines.ts';
import { Lines } from './responses.ts';

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json', false],
  ['application/jsonl', true],
  ['Application/JSONL; q=1', true],
  ['text/html, application/jsonl', true],
  ['application/jsonl, application/json', true],
  ['application/json, application/jsonl', false],
])('Accept: %s selects JSON lines: %s', (accept, wants) => {
  expect(wantsLines(accept)).toBe(wants);
});

test('writes one line per item, and reads items only as fast as they are consumed', async () => {
  let read = 0;
  async function* items() {
    for (; read < 3; read += 1) yield { at: read, text: 'a\nb' };
  }
  expect(await text(linesOf(new Lines(items())))).toBe(
    '{"at":0,"text":"a\\nb"}\n{"at":1,"text":"a\\nb"}\n{"at":2,"text":"a\\nb"}\n',
  );
  async function* endless() {
    for (read = 0; ; read += 1) yield { text: 'x'.repeat(1_000) };
  }
  const stream = linesOf(new Lines(endless()));
  stream.read();
  await new Promise((resolve) => setImmediate(resolve));
  const unread = read;
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).toBe(unread);
  expect(read).toBeLessThan(1_000);
  stream.destroy();
});
