import { expect, test } from 'vitest';
import { readJsonLines } from './json-lines.ts';

/** A stream of the text, in chunks of this many bytes. */
function streamOf(text: string, chunk: number, onCancel = () => {}): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + chunk));
      at += chunk;
    },
    cancel: onCancel,
  });
}

const number = (value: unknown) => (value as { n?: number }).n ?? null;

test.each([1, 3, 1000])('reads lines in chunks of %i bytes', async (chunk) => {
  const text = '{"n":1,"text":"é 📱"}\n{"n":2}\n\n{"other":true}\n{"n":3}\n';
  expect(await readJsonLines(streamOf(text, chunk), number)).toEqual({ items: [1, 2, 3], isCut: false });
});

test('skips an incomplete last line and invalid lines, and reads a last line without a line break', async () => {
  const read = (text: string) => readJsonLines(streamOf(text, 7), number);
  expect((await read('{"n":1}\nnot JSON\nnull\n{"n":2}\n{"n":3,"te')).items).toEqual([1, 2]);
  expect((await read('{"n":1}\n{"n":2}')).items).toEqual([1, 2]);
});

test('skips a line that is too long', async () => {
  const long = `{"n":2,"text":"${'x'.repeat(300_000)}"}`;
  expect((await readJsonLines(streamOf(`{"n":1}\n${long}\n{"n":3}\n${long}`, 65_536), number)).items).toEqual(
    [1, 3],
  );
});

test('stops at the maximum number of lines and of bytes, and ends the download', async () => {
  let cancelled = 0;
  const onCancel = () => {
    cancelled += 1;
  };
  const text = Array.from({ length: 50 }, (_, n) => `{"n":${n}}\n`).join('');
  expect(await readJsonLines(streamOf(text, 16, onCancel), number, { maxLines: 2 })).toEqual({
    items: [0, 1],
    isCut: true,
  });
  expect(await readJsonLines(streamOf(text, 16, onCancel), number, { maxBytes: 40 })).toMatchObject({
    isCut: true,
  });
  expect(cancelled).toBe(2);
  expect(await readJsonLines(streamOf('{"n":1}\n{"n":2}\n', 4), number, { maxLines: 2 })).toEqual({
    items: [1, 2],
    isCut: false,
  });
});
