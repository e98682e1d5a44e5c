import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TokenKeys } from '../../src/access/token-keys.ts';
import { Authenticator } from '../../src/api/authenticate.ts';
import { type ApiContext, noApiMeter } from '../../src/api/context.ts';
import { RequestLimits } from '../../src/api/limits/request-limits.ts';
import { buildApi } from '../../src/api/server.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { MAX_APPS_PER_ACCOUNT } from '../../src/contract/http/app.ts';
import { AppFolder } from '../../src/control-plane/apps/app-folder.ts';
import { ArtifactFolder } from '../../src/control-plane/artifacts/artifact-folder.ts';
import { AuditTrail } from '../../src/control-plane/audit/trail.ts';
import { EventTail } from '../../src/control-plane/events/event-tail.ts';
import { BorrowQueue } from '../../src/control-plane/queue/borrow-queue.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import { TicketIssuer } from '../../src/link/ticket-issuer.ts';
import { WebServer } from '../../src/server/web-server.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';
import { Slots } from '../../src/util/slots.ts';
import { noSteps } from '../../src/util/steps.ts';
import { newKey } from '../fixtures/accounts.ts';
import { makeApk, makeForm, makeZip } from '../fixtures/apk.ts';
import { appOf } from '../store/world.ts';

const MIB = 1024 * 1024;
const KEY = 'pb_test';
const RAW = { 'content-type': 'application/octet-stream' };

let folder: string;
let appFiles: AppFolder;
let store: Store;
let bus: InProcessBus;
let api: Awaited<ReturnType<typeof buildApi>>;
let server: WebServer;
let context: ApiContext;

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
  appFiles = await AppFolder.open(join(folder, 'apps'));
  const parts = {
    ...{
      store,
      bus,
      log: silentLog,
      steps: noSteps,
      meter: noApiMeter,
      tokenKeys: TokenKeys.of(Buffer.alloc(32)),
    },
    origins: () => ({ stream: 'wss://localhost', control: 'wss://127.0.0.1' }),
  };
  const limits = new RequestLimits({ key: null, connect: null, address: null, failed: null });
  context = {
    ...parts,
    authenticator: new Authenticator(store, silentLog, limits),
    trail: new AuditTrail(store, silentLog),
    tickets: new TicketIssuer(new InProcessLinks().listen('api')),
    events: new EventTail(parts),
    borrowQueue: new BorrowQueue(parts),
    maxDurationMinutes: 480,
    maxKeyLifetimeMs: 90 * 86_400_000,
    appFiles,
    artifactFiles: await ArtifactFolder.open(join(folder, 'artifacts')),
    artifactUploads: new Slots({ total: 1, perSubject: 1 }),
    downloads: new Slots({ total: 1, perSubject: 1 }),
    hostsMustBeKnown: false,
    maxDevicesPerHost: 1_000,
    maxAppBytes: MIB,
    diskReserveBytes: 0,
    uploads: new Slots({ total: 8, perSubject: 6 }),
    maxFileBytes: MIB,
    transfers: new Slots({ total: 8, perSubject: 6 }),
    newAccounts: {
      ...{ quotaMinutes: null, maxSessions: null, maxAppBytes: null },
      ...{ maxArtifactBytes: null, artifactDays: null },
    },
    limits,
    webhooks: { mayBePrivate: false, notify: () => {} },
  };
  api = await buildApi(context);
  await api.ready();
  const handlers = { request: api.routing, upgrade: () => {} };
  server = await WebServer.listen({ port: 0, host: '127.0.0.1', handlers });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await api.close();
  await context.trail[Symbol.asyncDispose]();
  await bus[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function open(headers: Record<string, string | number>): ClientRequest {
  return httpRequest({
    port: server.port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/v1/apps',
    agent: false,
    headers: { authorization: `Bearer ${KEY}`, ...headers },
  });
}

async function answerTo(request: ClientRequest): Promise<{ status: number; code: number; message: string }> {
  request.on('error', () => {});
  const [response] = await once(request, 'response', { signal: AbortSignal.timeout(60_000) });
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, ...JSON.parse(text) };
}

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 10 });
const expectNothingLeft = () =>
  until(async () => {
    expect(await drafts()).toEqual([]);
    expect(await kept()).toEqual([]);
  });

describe('an oversized upload', () => {
  test('is rejected while it is being sent, and leaves no files behind', async () => {
    const request = open(RAW);
    const answer = answerTo(request);
    // A client that sends data without end
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
    await expectNothingLeft();
  });

  test('is rejected immediately if its content length is too large', async () => {
    const request = open({ ...RAW, 'content-length': 5 * MIB });
    request.flushHeaders();
    expect(await answerTo(request)).toMatchObject({ status: 413, code: 41300 });
    request.destroy();
    await expectNothingLeft();
  });

  test('is rejected as a form file, and the client receives the error', async () => {
    const { body, headers } = makeForm([{ name: 'file', filename: 'a.apk', content: Buffer.alloc(3 * MIB) }]);
    const request = open({ ...headers, 'transfer-encoding': 'chunked' });
    request.end(body);
    expect(await answerTo(request)).toMatchObject({ status: 413, code: 41300 });
    await expectNothingLeft();
  });
});

describe('the disk for apps', () => {
  test('keeps a reserve: an upload that would use it is rejected and leaves no files behind', async () => {
    const free = vi.spyOn(appFiles, 'freeBytes').mockResolvedValue(MIB);
    context.diskReserveBytes = MIB - 1000;
    try {
      const request = open({ ...RAW, 'content-length': 2000 });
      request.end(Buffer.alloc(2000));
      expect(await answerTo(request)).toMatchObject({
        status: 503,
        code: 50300,
        message: expect.stringContaining('the disk for uploaded apps has no room'),
      });
      await expectNothingLeft();
    } finally {
      free.mockRestore();
      context.diskReserveBytes = 0;
    }
  });

  test('is checked again during an upload of unknown length', async () => {
    const free = vi
      .spyOn(appFiles, 'freeBytes')
      .mockResolvedValueOnce(64 * MIB)
      .mockResolvedValue(0);
    const before = context.maxAppBytes;
    Object.assign(context, { diskReserveBytes: MIB, maxAppBytes: 64 * MIB });
    try {
      const request = open({ ...RAW, 'transfer-encoding': 'chunked' });
      request.end(Buffer.alloc(17 * MIB));
      expect(await answerTo(request)).toMatchObject({ status: 503, code: 50300 });
      request.destroy();
      await expectNothingLeft();
    } finally {
      free.mockRestore();
      Object.assign(context, { diskReserveBytes: 0, maxAppBytes: before });
    }
  });

  test('is checked again while an archive is decompressed', async () => {
    const free = vi
      .spyOn(appFiles, 'freeBytes')
      .mockResolvedValueOnce(64 * MIB)
      .mockResolvedValue(0);
    const before = context.maxAppBytes;
    Object.assign(context, { diskReserveBytes: MIB, maxAppBytes: 64 * MIB });
    try {
      const archive = makeZip({
        'base.apk': makeApk({ packageName: 'org.acme.large' }),
        'Android/obb/org.acme.large/main.1.org.acme.large.obb': Buffer.concat([
          randomBytes(MIB),
          Buffer.alloc(17 * MIB),
        ]),
      });
      const request = open({ ...RAW, 'content-length': archive.length });
      request.end(archive);
      expect(await answerTo(request)).toMatchObject({ status: 503, code: 50300 });
      await expectNothingLeft();
    } finally {
      free.mockRestore();
      Object.assign(context, { diskReserveBytes: 0, maxAppBytes: before });
    }
  });
});

test('limits the concurrent uploads of an account', async () => {
  const held = Array.from({ length: 6 }, () => {
    const request = open(RAW);
    request.on('error', () => {});
    request.write('PK');
    return request;
  });
  await until(async () => expect(await drafts()).toHaveLength(6));
  const refused = open({ ...RAW, 'content-length': 2 });
  refused.end('PK');
  expect(await answerTo(refused)).toMatchObject({ status: 429, code: 40029 });
  for (const request of held) request.destroy();
  await expectNothingLeft();
});

test('rejects an archive that decompresses to many times its size, and counts the stored size', async () => {
  const base = makeApk({ packageName: 'org.acme.packed' });
  const obb = 'Android/obb/org.acme.packed/main.1.org.acme.packed.obb';
  const archive = (bytes: number) => makeZip({ 'base.apk': base, [obb]: Buffer.alloc(bytes) });
  const before = context.maxAppBytes;
  Object.assign(context, { maxAppBytes: 64 * MIB });
  try {
    const bomb = archive(20 * MIB);
    expect(bomb.length).toBeLessThan(MIB);
    const request = open({ ...RAW, 'content-length': bomb.length });
    request.end(bomb);
    expect(await answerTo(request)).toMatchObject({
      status: 400,
      message: expect.stringContaining('unpacks to more than 20 times its size'),
    });
    await expectNothingLeft();
    const packed = archive(4 * MIB);
    const second = open({ ...RAW, 'content-length': packed.length });
    second.end(packed);
    const { data } = (await answerTo(second)) as unknown as { data: { id: string; size: number } };
    expect(data.size).toBe(await appFiles.storedBytes(data.id));
    expect(data.size).toBeGreaterThan(4 * MIB);
    const hash = createHash('sha256').update(KEY).digest('hex');
    await store.deleteApp(data.id, (await store.authenticate(hash))!.accountId);
    await appFiles.remove(data.id);
    await store.purgeApps([data.id]);
  } finally {
    Object.assign(context, { maxAppBytes: before });
  }
});

test('writes an upload to disk as it arrives instead of buffering it in memory', async () => {
  const request = open(RAW);
  request.on('error', () => {});
  request.write(Buffer.alloc(300_000));
  await until(async () => {
    const [draft] = await drafts();
    expect((await stat(join(folder, 'apps', 'drafts', draft!, 'upload'))).size).toBe(300_000);
  });
  request.destroy();
  await expectNothingLeft();
});

test.each([
  ['raw', RAW],
  ['a form', { 'content-type': 'multipart/form-data; boundary=b' }],
])('leaves no files behind when the client aborts an upload: %s', async (_, headers) => {
  const request = open(headers);
  request.on('error', () => {});
  request.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.apk"\r\n\r\nPK');
  await until(async () => expect(await drafts()).toHaveLength(1));
  request.destroy();
  await expectNothingLeft();
});

test('rejects an upload whose key is revoked after its file arrived and leaves no files behind', async () => {
  const hash = createHash('sha256').update('pb_leaving').digest('hex');
  const account = (await store.getAccountByName('default'))!;
  const key = await newKey(store, account.id, { hash });
  const { createApp } = store;
  // The watch of open responses would sometimes close the connection before the answer
  const watch = vi.spyOn(store, 'validGrants').mockImplementation(async (ids) => ids);
  // The latest moment: after every check of the request, and before the row is created
  const spy = vi.spyOn(store, 'createApp').mockImplementationOnce(async (...upload) => {
    await store.revokeKey(key.id);
    return createApp(...upload);
  });
  try {
    const apk = makeApk({ packageName: 'org.acme.revoked' });
    const request = open({ ...RAW, 'content-length': apk.length, authorization: 'Bearer pb_leaving' });
    request.end(apk);
    expect(await answerTo(request)).toMatchObject({ status: 401, code: 40001 });
    expect(spy).toHaveBeenCalledOnce();
    await expectNothingLeft();
  } finally {
    spy.mockRestore();
    watch.mockRestore();
  }
});

test('stores concurrent uploads of the same bytes as one app with one set of files', async () => {
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

/** Sets the file's modification time to `hours` hours ago. */
async function age(path: string, hours: number): Promise<void> {
  const then = Date.now() / 1000 - hours * 3600;
  for (const name of await readdir(path)) await utimes(join(path, name), then, then);
  await utimes(path, then, then);
}

describe('another process on the same files', () => {
  const another = () => AppFolder.open(join(folder, 'apps'));

  test('does not touch an upload in progress', async () => {
    const request = open(RAW);
    const answer = answerTo(request);
    const apk = makeApk({ packageName: 'org.acme.shared' });
    request.write(apk.subarray(0, 100));
    await until(async () => expect(await drafts()).toHaveLength(1));
    // The upload began long ago, but the time of its last received byte counts
    const [draft] = await drafts();
    const hoursAgo = new Date(Date.now() - 5 * 3_600_000);
    await utimes(join(folder, 'apps', 'drafts', draft!), hoursAgo, hoursAgo);
    await (await another()).removeAbandoned();
    request.end(apk.subarray(100));
    expect(await answer).toMatchObject({ code: 0 });
  });

  test('removes the remains of an upload whose process has exited', async () => {
    const left = await appFiles.draft();
    await writeFile(join(left.folder, 'upload'), 'half an app');
    await (await another()).removeAbandoned();
    expect(await drafts()).toHaveLength(1);
    await age(left.folder, 2);
    await (await another()).removeAbandoned();
    expect(await drafts()).toEqual([]);
  });

  test('logs apps that it does not know and keeps their files', async () => {
    const ids = await kept();
    const known = async (appId: string) => appId === ids[0];
    expect(ids).toHaveLength(2);
    const files = await another();
    // A new file may belong to an upload that is about to be completed
    expect(await files.findOrphans(known)).toEqual([]);
    for (const id of ids) await age(join(folder, 'apps', id), 25);
    expect(await files.findOrphans(known)).toEqual([ids[1]]);
    expect(await kept()).toEqual(ids);
  });
});

test('rejects an upload above the account’s limit of apps and leaves no files behind', async () => {
  const hash = createHash('sha256').update(KEY).digest('hex');
  const { accountId, keyId } = (await store.authenticate(hash))!;
  const before = await kept();
  const rows = Array.from({ length: MAX_APPS_PER_ACCOUNT }, (_, n) => appOf(accountId, `sha ${n}`));
  for (const app of rows)
    await store.createApp({ keyId, app, maxApps: MAX_APPS_PER_ACCOUNT, idempotency: null });
  const apk = makeApk({ packageName: 'org.acme.one.too.many' });
  const request = open({ ...RAW, 'content-length': apk.length });
  request.end(apk);
  expect(await answerTo(request)).toMatchObject({
    status: 403,
    code: 40011,
    message: expect.stringContaining('delete some'),
    data: { kind: 'apps', limit: MAX_APPS_PER_ACCOUNT, used: MAX_APPS_PER_ACCOUNT, resets_at: null },
  });
  expect(await kept()).toEqual(before);
  expect(await drafts()).toEqual([]);
});
