import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { copyLines, SharedOutput } from './prefixed-lines.ts';

async function copied(chunks: (string | Buffer)[]): Promise<string> {
  const output = new PassThrough({ encoding: 'utf8' });
  const text = output.toArray();
  await copyLines(Readable.from(chunks, { objectMode: false }), '[1] ', new SharedOutput(output));
  output.end();
  return (await text).join('');
}

test('adds the prefix to each line, however the output is divided into chunks', async () => {
  expect(await copied(['a\nb', 'c\r\n\n', 'd'])).toBe('[1] a\n[1] bc\n[1] \n[1] d\n');
  const smiley = Buffer.from('🙂\n');
  expect(await copied([smiley.subarray(0, 2), smiley.subarray(2)])).toBe('[1] 🙂\n');
  expect(await copied([])).toBe('');
});

test('prints a line without an end in pieces, without waiting for its end', async () => {
  const output = new PassThrough({ encoding: 'utf8' });
  const endless = new PassThrough();
  const copying = copyLines(endless, '', new SharedOutput(output));
  endless.write('🙂'.repeat(8_192));
  endless.write('x');
  const [piece] = await once(output, 'data');
  expect(piece).toBe(`${'🙂'.repeat(8_192)}\n`);
  endless.end();
  await copying;
});

test('waits while the output accepts nothing, and fails when it is closed', async () => {
  const output = new PassThrough({ highWaterMark: 8 }).on('error', () => {});
  const endless = new PassThrough({ highWaterMark: 8 });
  const copying = copyLines(endless, '', new SharedOutput(output));
  const failed = expect(copying).rejects.toThrow();
  while (endless.write('full\n')) await new Promise(setImmediate);
  expect(output.writableLength).toBeLessThan(64);
  output.destroy(new Error('closed'));
  endless.end('more\n');
  await failed;
});
