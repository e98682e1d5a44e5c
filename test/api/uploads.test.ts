import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ApiContext } from '../../src/api/implement.ts';
import { buildApi } from '../../src/api/server.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import { TicketDesk } from '../../src/link/ticket-desk.ts';
import { AppFolder } from '../../src/main/app-files.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';
import { makeApk, makeForm } from '../fixtures/apk.ts';

const MIB = 1024 * 1024;
const KEY = 'pb_test';
const RAW = { 'content-type': 'application/octet-stream' };

let folder: string;
let store: Store;
let bus: InProcessBus;
let api: Awaited<ReturnType<typeof buildApi>>;
let port: number;

const drafts = () => readdir(join(folder, 'apps', 'drafts'));
const kept = async () => (await readdir(join(folder, 'apps'))).filter((name) => name !== 'drafts');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-uploads-'));
  store = await openStore({ sqliteFile: join(folder, 'phonebooth.db') }, { log: silentLog });
  bus = new InProcessBus();
  await store.ensureBootstrapKey({
    account: { name: 'default', quotaMinutes: null, maxSessions: null },
    hash: createHash('sha256').update(KEY).digest('hex'),
    prefix: 'pb_',
  });
  const context: ApiContext = {
    store,
    bus,
    tickets: new TicketDesk(new InProcessLinks().listen('api')),
    log: silentLog,
    origins: { stream: 'wss://localhost', control: 'wss://127.0.0.1' },
    tokenKey: Buffer.alloc(32),
    maxDurationMinutes: 480,
    appFiles: await AppFolder.open(join(folder, 'apps'), async () => false),
    hostsMustBeKnown: false,
    maxAppBytes: MIB,
  };
  api = await buildApi(context);
  await api.listen({ port: 0, host: '127.0.0.1' });
  port = (api.server.address() as AddressInfo).port;
});

afterAll(async () => {
  await api.close();
  await bus[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function open(headers: Record<string, string | number>): ClientRequest {
  return httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/v1/apps',
    agent: false,
    headers: { authorization: `Bearer ${KEY}`, ...headers },
  });
}

async function answerTo(request: ClientRequest): Promise<{ status: number; code: number; message: string }> {
  request.on('error', () => {});
  const [response] = await once(request, 'response', { signal: AbortSignal.timeout(10_000) });
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, ...JSON.parse(text) };
}

const nothingIsLeft = () =>
  vi.waitFor(async () => {
    expect(await drafts()).toEqual([]);
    expect(await kept()).toEqual([]);
  });

describe('an upload that is too large', () => {
  test('is refused while it is still coming, and nothing of it is kept', async () => {
    const request = open(RAW);
    const answer = answerTo(request);
    // A client that never stops by itself
    const chunk = Buffer.alloc(64 * 1024);
    let sent = 0;
    const pump = () => {
      while (!request.destroyed && sent < 500 * MIB) {
        sent += chunk.length;
        if (!request.write(chunk)) return void request.once('drain', pump);
      }
    };
    pump();
    expect(await answer).toMatchObject({ status: 413, code: 41300 });
    expect(sent).toBeLessThan(500 * MIB);
    request.destroy();
    await nothingIsLeft();
  });

  test('is refused as soon as it says so', async () => {
    const request = open({ ...RAW, 'content-length': 5 * MIB });
    request.flushHeaders();
    expect(await answerTo(request)).toMatchObject({ status: 413, code: 41300 });
    request.destroy();
    await nothingIsLeft();
  });

  test('is refused as the file of a form, and its client hears of it', async () => {
    const { body, headers } = makeForm([{ name: 'file', filename: 'a.apk', content: Buffer.alloc(3 * MIB) }]);
    const request = open({ ...headers, 'transfer-encoding': 'chunked' });
    request.end(body);
    expect(await answerTo(request)).toMatchObject({ status: 413, code: 41300 });
    await nothingIsLeft();
  });
});

test('an upload is on the disk as it comes, and not in memory', async () => {
  const request = open(RAW);
  request.on('error', () => {});
  request.write(Buffer.alloc(300_000));
  await vi.waitFor(async () => {
    const [draft] = await drafts();
    expect((await stat(join(folder, 'apps', 'drafts', draft!, 'upload'))).size).toBe(300_000);
  });
  request.destroy();
  await nothingIsLeft();
});

test.each([
  ['raw', RAW],
  ['a form', { 'content-type': 'multipart/form-data; boundary=b' }],
])('an upload that its client gives up leaves nothing: %s', async (_, headers) => {
  const request = open(headers);
  request.on('error', () => {});
  request.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.apk"\r\n\r\nPK');
  await vi.waitFor(async () => expect(await drafts()).toHaveLength(1));
  request.destroy();
  await nothingIsLeft();
});

test('the same bytes at once are one app with one set of files', async () => {
  const apk = makeApk();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => {
      const request = open({ ...RAW, 'content-length': apk.length });
      request.end(apk);
      return answerTo(request);
    }),
  );
  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  expect(await drafts()).toEqual([]);
  const [id] = await kept();
  expect(await kept()).toHaveLength(1);
  expect(await readdir(join(folder, 'apps', id!))).toEqual(['0.apk']);
});

test('files without a row are removed at the next start, and half uploads with them', async () => {
  const [id] = await kept();
  const known = async (appId: string) => appId === id;
  await AppFolder.open(join(folder, 'apps'), known);
  expect(await kept()).toEqual([id]);
  await AppFolder.open(join(folder, 'apps'), async () => false);
  expect(await kept()).toEqual([]);
});
