import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ArtifactBucket } from '../../src/control-plane/artifacts/artifact-bucket.ts';
import {
  ArtifactMissingError,
  ArtifactStorageError,
} from '../../src/control-plane/artifacts/artifact-files.ts';
import { openArtifactFiles } from '../../src/control-plane/artifacts/open-artifact-files.ts';
import { freePort } from '../fixtures/free-port.ts';

const LONG = { requestMs: 60_000, partMs: 60_000, idleMs: 60_000, retryMs: 1 };
/** Short, because the storage of the test never answers. */
const SHORT = { ...LONG, requestMs: 200, partMs: 200, idleMs: 200 };
const BIG = 9 * 1024 * 1024;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A storage with faults. */
async function storage(answer: Answer, times = LONG) {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume();
    await once(request, 'end');
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    files: new ArtifactBucket({ ...SETTINGS, origin }, times),
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
}

const SETTINGS = { bucket: 'b', prefix: '', region: null, accessKey: 'key', secretKey: 'not-in-messages' };

async function* zeros(size: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(size);
}

const fail = (status: number, code: string) => (_: IncomingMessage, response: ServerResponse) =>
  response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);

const write = (files: ArtifactBucket, size: number) => files.write('a', zeros(size), { size, type: 't' });
const read = (files: ArtifactBucket) => files.read('a', { start: 0, end: 9 });

async function expectStorageError(promise: Promise<unknown>, message: string): Promise<void> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ArtifactStorageError);
  expect((error as Error).message).toContain(message);
  expect((error as Error).message).not.toContain(SETTINGS.secretKey);
}

test('a temporary error is retried, and a permanent one is reported', async () => {
  let failures = 2;
  await using storing = await storage((request, response) => {
    if (failures-- > 0) fail(503, 'SlowDown')(request, response);
    else response.end();
  });
  await write(storing.files, 10);
  expect(storing.requests).toEqual(['PUT /b/a', 'PUT /b/a', 'PUT /b/a']);
  failures = Number.POSITIVE_INFINITY;
  const operations = [write(storing.files, 10), read(storing.files), storing.files.remove('a')];
  await Promise.all(operations.map((operation) => expectStorageError(operation, 'with 503 SlowDown')));
  expect(storing.requests).toHaveLength(3 + 3 * 3);
});

test('a storage that cannot be reached or does not answer is an error within the deadline', async () => {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const nothing = new ArtifactBucket({ ...SETTINGS, origin }, LONG);
  await expectStorageError(nothing.check(), 'ECONNREFUSED');
  await expectStorageError(write(nothing, 10), 'ECONNREFUSED');
  const logged: { err: Error }[] = [];
  const log = { error: (fields: object) => logged.push(fields as { err: Error }) };
  await openArtifactFiles({ artifactsDir: '', artifactBucket: { ...SETTINGS, origin } }, log);
  expect(logged.map(({ err }) => err.message)).toEqual([expect.stringContaining('ECONNREFUSED')]);
  await using silent = await storage(() => {}, SHORT);
  const operations = [write(silent.files, 10), write(silent.files, BIG), read(silent.files)];
  await Promise.all(operations.map((operation) => expectStorageError(operation, 'timed out after 0.2 s')));
});

test('a storage that stops in the middle of the content destroys the stream', async () => {
  const head = { 'content-range': 'bytes 0-9/10', 'content-length': '10' };
  const half: Answer = (_, response) => response.writeHead(206, head).write('01234');
  await using silent = await storage(half, { ...SHORT, requestMs: 60_000 });
  await expectStorageError(Array.fromAsync(await read(silent.files)), 'stopped sending artifact a');
  await using closing = await storage((request, response) => {
    half(request, response);
    setImmediate(() => response.destroy());
  });
  await expectStorageError(Array.fromAsync(await read(closing.files)), 'stopped sending artifact a');
});

test('a storage that ignores the range is an error, and a missing object is reported as missing', async () => {
  await using whole = await storage((_, response) => response.end('0'.repeat(100)));
  await expectStorageError(read(whole.files), 'did not return the range');
  await using empty = await storage(fail(404, 'NoSuchKey'));
  await expect(read(empty.files)).rejects.toBeInstanceOf(ArtifactMissingError);
  await empty.files.remove('a');
});

test('an upload whose parts cannot be put together is aborted', async () => {
  await using storing = await storage((request, response) => {
    const { method, url = '' } = request;
    if (url.endsWith('?uploads=')) response.end('<X><UploadId>a&amp;b</UploadId></X>');
    else if (method === 'POST') fail(200, 'InternalError')(request, response);
    else response.setHeader('etag', '"e"').end();
  });
  await expectStorageError(write(storing.files, BIG), 'with 200 InternalError');
  const upload = '/b/a?uploadId=a%26b';
  const parts = [1, 2].map((number) => `PUT /b/a?partNumber=${number}&uploadId=a%26b`);
  const completions = Array.from({ length: 3 }, () => `POST ${upload}`);
  expect(storing.requests).toEqual(['POST /b/a?uploads=', ...parts, ...completions, `DELETE ${upload}`]);
});
