import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PhoneboothClient } from './phonebooth-client.ts';
import type { UploadProgress } from './send-file.ts';

const PARTS = [1, 2, 3].map((part) => new Uint8Array(100_000).map((_, at) => (at * part) % 251));
const FILE = new Blob(PARTS);

const streamOf = (parts: readonly Uint8Array<ArrayBuffer>[]) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

let server: Server;
let client: PhoneboothClient;
let answer: { status: number; envelope: object };
let uploads: { head: IncomingMessage; body: Buffer }[];
let cut: PromiseWithResolvers<void>;

beforeEach(async () => {
  uploads = [];
  answer = { status: 200, envelope: { code: 0, message: 'success', data: { id: 'app_1' } } };
  cut = Promise.withResolvers();
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return cut.resolve();
    }
    uploads.push({ head: request, body: Buffer.concat(chunks) });
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.envelope));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  client = new PhoneboothClient({ baseUrl: `http://127.0.0.1:${port}/v1`, key: 'pb_key' });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe('uploadApp', () => {
  test.each([
    ['a Blob', FILE, FILE.size],
    ['a stream', streamOf(PARTS), null],
  ])('uploads the bytes of %s unchanged and reports progress', async (_, source, total) => {
    const progress: UploadProgress[] = [];
    const app = await client.uploadApp(source, {
      onProgress: (now) => progress.push(now),
      idempotencyKey: 'once',
    });
    expect(app).toEqual({ id: 'app_1' });
    const { head, body } = uploads[0]!;
    expect(`${head.method} ${head.url}`).toBe('POST /v1/apps');
    expect(head.headers).toMatchObject({
      authorization: 'Bearer pb_key',
      'content-type': 'application/octet-stream',
      'idempotency-key': 'once',
    });
    expect(body.equals(Buffer.concat(PARTS))).toBe(true);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.at(-1)).toEqual({ sent: FILE.size, total });
  });

  test('throws the error of a rejected upload', async () => {
    const errors = [{ field: 'body', message: 'is not an Android app: it is not a valid zip archive' }];
    answer = { status: 400, envelope: { code: 40000, message: 'body: …', data: { errors } } };
    await expect(client.uploadApp(FILE)).rejects.toMatchObject({
      code: 40000,
      data: { errors },
    });
  });

  test('stops uploading when aborted, with the abort reason', async () => {
    const controller = new AbortController();
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (to) => to.enqueue(new Uint8Array(65_536)),
    });
    const upload = client.uploadApp(endless, {
      signal: controller.signal,
      onProgress: ({ sent }) => sent > 500_000 && controller.abort(new Error('no longer needed')),
    });
    await expect(upload).rejects.toThrow('no longer needed');
    await cut.promise;
    expect(uploads).toEqual([]);
  });

  test('reports an unreachable service', async () => {
    const nobody = new PhoneboothClient({ baseUrl: 'http://127.0.0.1:1/v1', key: 'k' });
    await expect(nobody.uploadApp(FILE)).rejects.toMatchObject({
      name: 'ServiceError',
      status: 0,
    });
  });
});
