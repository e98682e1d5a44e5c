import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { untilClosed } from './read-file.ts';

async function* parserThatHangs(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('PK');
  await new Promise(() => {});
}

test.each(['before the file is read', 'while the parser waits'])(
  'ends an upload whose connection closes %s, even if the form parser hangs',
  async (when) => {
    const request = new PassThrough();
    if (when === 'before the file is read') request.destroy();
    const chunks = untilClosed(request as never, parserThatHangs());
    const read = async () => {
      for await (const _ of chunks) request.destroy();
    };
    await expect(read()).rejects.toMatchObject({
      code: 40000,
      message: 'body is incomplete: the connection ended before all of it arrived; send the request again',
    });
  },
);

test('passes on the whole file of a request that closes after its last byte', async () => {
  const request = new PassThrough();
  request.end();
  request.resume();
  async function* file(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('PK');
    if (!request.closed) await new Promise((resolve) => request.once('close', resolve));
    yield Buffer.from('end');
  }
  const texts: string[] = [];
  for await (const chunk of untilClosed(request as never, file())) texts.push(String(chunk));
  expect(texts).toEqual(['PK', 'end']);
});
