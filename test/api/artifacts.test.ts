import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ANY_ADDRESS } from '../../src/bus/bus.ts';
import type { RecordedArtifact } from '../../src/bus/messages.ts';
import { runArtifactUpkeep } from '../../src/control-plane/artifacts/artifact-upkeep.ts';
import { handleArtifactRequest, handleRecorded } from '../../src/control-plane/hosts/artifact-requests.ts';
import { handleSessionEnded } from '../../src/control-plane/hosts/session-ended.ts';
import { FileChannel } from '../../src/link/file-channel.ts';
import type { FileMessage } from '../../src/link/messages.ts';
import type { SessionRow } from '../../src/store/entities.ts';
import { Slots } from '../../src/util/slots.ts';
import type { Data } from '../black-box/kit/api.ts';
import { newKey } from '../fixtures/accounts.ts';
import { phoneReport } from '../store/world.ts';
import { type ApiRig, startApiRig } from './api-rig.ts';

const WAIT = { timeout: 60_000, interval: 10 };
const DAY_MS = 86_400_000;
const VIDEO = randomBytes(300_000);
const HOST = 'host-1';

let rig: ApiRig;
let space: { diskReserveBytes: number; artifactUploads: Slots };
let folder: string;

beforeAll(async () => {
  rig = await startApiRig();
  const { bus } = rig.context;
  folder = rig.artifactsDir;
  bus.serve('control-plane.artifact', ANY_ADDRESS, (request, hostId) =>
    handleArtifactRequest({ ...rig.context, ...space }, request, hostId),
  );
  bus.serve('control-plane.recorded', ANY_ADDRESS, (request, hostId) =>
    handleRecorded(rig.context, request, hostId),
  );
});
afterAll(() => rig?.[Symbol.asyncDispose]());
beforeEach(() => {
  space = { diskReserveBytes: 0, artifactUploads: new Slots({ total: 8, perSubject: 8 }) };
});

type Caller = Awaited<ReturnType<ApiRig['key']>>;

const send = (caller: Pick<Caller, 'key'>, path: string, init: RequestInit = {}) =>
  fetch(`${rig.baseUrl}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${caller.key}`, ...(init.headers as Record<string, string>) },
  });
const read = async (caller: Pick<Caller, 'key'>, path: string, init?: RequestInit) => {
  const response = await send(caller, path, init);
  return {
    status: response.status,
    ...((await response.json()) as { code: number; message: string; data: Data }),
  };
};
const statusOf = async (caller: Caller, { id }: SessionRow) =>
  (await read(caller, `/sessions/${id}`)).data.recording;

/** Another key of the account, which can only read. */
async function viewerOf({ accountId }: Caller): Promise<{ key: string }> {
  const key = `pb_${randomUUID()}`;
  const hash = createHash('sha256').update(key).digest('hex');
  await newKey(rig.store, accountId, { role: 'viewer', hash });
  return { key };
}

/** Starts a recorded session of the caller. Its phone is connected. */
async function recorded(caller: Caller): Promise<SessionRow> {
  const deviceId = `phone-${randomUUID()}`;
  await rig.report({ id: deviceId });
  const connected = await read(caller, `/devices/${deviceId}/connect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ record: true }),
  });
  expect(connected).toMatchObject({ code: 0, data: { recording: { status: 'recording', detail: null } } });
  const { session_id: sessionId } = connected.data;
  const lease = { sessionId, epoch: 1, connected: true, app: null };
  const phones = [phoneReport({ id: deviceId, lease })];
  await rig.store.reportHost({ hostId: HOST, hostName: 'shelf', complete: false, phones });
  return (await rig.store.getSession(sessionId))!;
}

const facts = (size: number, more: Partial<RecordedArtifact> = {}): RecordedArtifact => ({
  ...{ name: 'video-1.mp4', kind: 'video', size, offsetMs: 0, durationMs: 5_000, width: 540, height: 1170 },
  ...more,
});

const ask = (
  { id: sessionId, epoch }: Pick<SessionRow, 'id' | 'epoch'>,
  artifact: RecordedArtifact,
  hostId = HOST,
) =>
  rig.context.bus.request(
    'control-plane.artifact',
    hostId,
    { sessionId, epoch, artifact },
    { timeoutMs: 60_000 },
  );

const finish = ({ id: sessionId, epoch }: SessionRow, hostId = HOST, detail: string | null = null) =>
  rig.context.bus.request(
    'control-plane.recorded',
    hostId,
    { sessionId, epoch, detail },
    { timeoutMs: 60_000 },
  );

/** Uploads an artifact as a host does. Returns the last message of the control plane. */
async function upload(
  session: SessionRow,
  artifact: RecordedArtifact,
  bytes: Buffer,
): Promise<FileMessage | Uint8Array> {
  const { ingest, ticket } = await ask(session, artifact);
  const hello = {
    sessionId: session.id,
    epoch: session.epoch,
    purpose: 'artifact' as const,
    ticket: ticket!,
  };
  using channel = new FileChannel(await rig.links.dial(ingest!, hello));
  await channel.sendBytes(Readable.from([bytes]));
  return await channel.next();
}

async function withVideo(caller: Caller, bytes = VIDEO) {
  const session = await recorded(caller);
  expect(await upload(session, facts(bytes.length), bytes)).toMatchObject({ type: 'written' });
  const { data } = await read(caller, `/sessions/${session.id}/artifacts`);
  return { session, artifact: data.items[0] };
}

/** The files that downloads have opened since the call. */
function readsOf() {
  const opened: Readable[] = [];
  const open = rig.context.artifactFiles.read.bind(rig.context.artifactFiles);
  const reads = vi.spyOn(rig.context.artifactFiles, 'read').mockImplementation(async (id, range) => {
    opened.push(await open(id, range));
    return opened.at(-1)!;
  });
  return { opened, [Symbol.dispose]: () => reads.mockRestore() };
}

describe('an uploaded artifact', () => {
  test('is listed, and its recording is complete when the host reports that', async () => {
    const caller = await rig.key();
    const changes: string[] = [];
    using subscription = new DisposableStack();
    const { session, artifact } = await withVideo(caller);
    subscription.adopt(
      rig.context.bus.subscribe('session.changed', ({ sessionId }) => changes.push(sessionId)),
      (one) => one.close(),
    );
    expect(artifact).toEqual({
      ...{
        id: expect.any(String),
        kind: 'video',
        name: 'video-1.mp4',
        type: 'video/mp4',
        size: VIDEO.length,
      },
      ...{ offset_ms: 0, duration_ms: 5_000, width: 540, height: 1170, created_at: expect.any(String) },
      url: `/v1/sessions/${session.id}/artifacts/${artifact.id}`,
    });
    expect(await statusOf(caller, session)).toEqual({ status: 'recording', detail: null });
    await send(caller, `/sessions/${session.id}/disconnect`, { method: 'POST' });
    expect(await statusOf(caller, session)).toEqual({ status: 'processing', detail: null });
    await vi.waitFor(() => expect(changes).toEqual([session.id]), WAIT);
    await finish(session, HOST, 'the disk of the host\u0007was full');
    expect(await statusOf(caller, session)).toEqual({
      status: 'complete',
      detail: 'the disk of the host was full',
    });
    await vi.waitFor(() => expect(changes).toEqual([session.id, session.id]), WAIT);
    expect(await ask(session, facts(VIDEO.length))).toEqual({ isStored: true, storedBytes: VIDEO.length });
  });

  test('can be downloaded in parts', async () => {
    const caller = await rig.key();
    const { artifact } = await withVideo(caller);
    const path = artifact.url.slice('/v1'.length);
    const part = async (range: string, headers: Record<string, string> = {}, method = 'GET') => {
      const response = await send(caller, path, { method, headers: { range, ...headers } });
      const { status } = response;
      const body = Buffer.from(await response.arrayBuffer());
      return { status, body, headers: response.headers, range: response.headers.get('content-range') };
    };
    const whole = await send(caller, path);
    expect(Buffer.from(await whole.arrayBuffer()).equals(VIDEO)).toBe(true);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': '300000',
      'content-disposition': `inline; filename="video-1.mp4"; filename*=UTF-8''video-1.mp4`,
      'content-security-policy':
        "default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'; sandbox allow-same-origin",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${artifact.id}"`,
    });
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=100-199', 100, 199],
      ['bytes=299999-', 299_999, 299_999],
      ['bytes=-10', 299_990, 299_999],
      ['bytes=-999999', 0, 299_999],
      ['bytes=299990-999999999999999999', 299_990, 299_999],
    ] as const) {
      const { status, body, range: sent, headers } = await part(range);
      expect({ range, status, sent }).toEqual({ range, status: 206, sent: `bytes ${start}-${end}/300000` });
      expect(body.equals(VIDEO.subarray(start, end + 1))).toBe(true);
      expect(headers.get('content-length')).toBe(String(end - start + 1));
    }
    for (const range of ['bytes=300000-', 'bytes=-0', 'bytes=400000-500000']) {
      const { status, body, range: sent } = await part(range);
      expect({ range, status, sent }).toEqual({ range, status: 416, sent: 'bytes */300000' });
      expect(JSON.parse(body.toString())).toMatchObject({ code: 41600, data: { size: 300_000 } });
    }
    for (const range of ['bytes=5-2', 'bytes=0-1,4-5', 'bytes=a-b', 'items=0-1', 'bytes=-'])
      expect(await part(range)).toMatchObject({ status: 200, range: null });
    expect(await part('bytes=0-9', { 'if-range': `"${artifact.id}"` })).toMatchObject({ status: 206 });
    expect(await part('bytes=0-9', { 'if-range': '"other"' })).toMatchObject({ status: 200 });
    // RFC 9110 defines ranges only for GET.
    const head = await part('bytes=0-9', {}, 'HEAD');
    expect({ ...head, length: head.headers.get('content-length') }).toMatchObject({
      ...{ status: 200, range: null, length: '300000', body: Buffer.alloc(0) },
    });
  });

  test('is visible to its account only, and a viewer can read and not delete it', async () => {
    const [owner, other] = [await rig.key(), await rig.key()];
    const viewer = await viewerOf(owner);
    const { session, artifact } = await withVideo(owner);
    const path = `/sessions/${session.id}/artifacts`;
    const missing = await read(other, '/sessions/ses_none/artifacts');
    expect(missing).toMatchObject({ status: 404, code: 40005 });
    for (const [method, where] of [
      ['GET', path],
      ['GET', `${path}/${artifact.id}`],
      ['DELETE', `${path}/${artifact.id}`],
    ] as const) {
      const answer = await read(other, where, { method });
      expect(answer).toEqual({ ...missing, message: missing.message.replace('ses_none', session.id) });
    }
    expect((await read(viewer, path)).data.items).toEqual([artifact]);
    expect((await send(viewer, `${path}/${artifact.id}`)).status).toBe(200);
    const denied = await read(viewer, `${path}/${artifact.id}`, { method: 'DELETE' });
    expect(denied).toMatchObject({ status: 403, code: 40003 });
    expect((await read(owner, path)).data.items).toEqual([artifact]);
    const elsewhere = await read(owner, `${path}/art_none`);
    expect(elsewhere).toMatchObject({ status: 404, code: 40008, data: { kind: 'artifact' } });
  });

  test('can be deleted, with an audit event and without its content', async () => {
    const caller = await rig.key();
    const { session, artifact } = await withVideo(caller);
    const path = `/sessions/${session.id}/artifacts/${artifact.id}`;
    expect(await readdir(folder)).toContain(artifact.id);
    expect(await read(caller, path, { method: 'DELETE' })).toMatchObject({ status: 200, data: {} });
    expect(await readdir(folder)).not.toContain(artifact.id);
    expect(await read(caller, path)).toMatchObject({ status: 404, code: 40008 });
    expect((await read(caller, `/sessions/${session.id}/artifacts`)).data.items).toEqual([]);
    expect((await read(caller, '/usage')).data.artifact_bytes.used).toBe(0);
    const { items } = await rig.store.listAudit({
      ...{ accountId: caller.accountId, action: 'sessions.artifacts.delete', page: 1, pageSize: 10 },
    });
    expect(items).toMatchObject([
      { targets: [expect.objectContaining({ id: session.id }), { kind: 'artifact', id: artifact.id }] },
    ]);
  });

  test('returns 404 if its content is missing', async () => {
    const caller = await rig.key();
    const { artifact } = await withVideo(caller);
    await rig.context.artifactFiles.remove(artifact.id);
    const answer = await read(caller, artifact.url.slice('/v1'.length));
    expect(answer).toMatchObject({ status: 404, code: 40008 });
    expect(answer.message).toContain('is not in the storage of the service');
  });

  test('does not keep a slot or an open file when a download is aborted', async () => {
    const caller = await rig.key();
    const { artifact } = await withVideo(caller, randomBytes(32 * 1024 * 1024));
    using reads = readsOf();
    const begin = async () => {
      const aborting = new AbortController();
      const response = await send(caller, artifact.url.slice('/v1'.length), { signal: aborting.signal });
      return { response, abort: () => aborting.abort() };
    };
    const { perSubject } = rig.context.downloads;
    const downloads = await Promise.all(Array.from({ length: perSubject }, begin));
    expect((await begin()).response.status).toBe(429);
    for (const { response, abort } of downloads) {
      expect(response.status).toBe(200);
      abort();
    }
    await vi.waitFor(
      () => expect(reads.opened.map(({ destroyed }) => destroyed)).toEqual([true, true, true]),
      WAIT,
    );
    // A slot is free when its file is closed, which is shortly after its stream is destroyed.
    const again = await vi.waitFor(async () => {
      const { response } = await begin();
      expect(response.status).toBe(200);
      return response;
    }, WAIT);
    expect((await again.arrayBuffer()).byteLength).toBe(32 * 1024 * 1024);
  });
});

describe('an upload', () => {
  test('of another size than announced is not stored', async () => {
    const caller = await rig.key();
    const session = await recorded(caller);
    for (const bytes of [VIDEO.subarray(1), Buffer.concat([VIDEO, VIDEO])]) {
      const answer = await upload(session, facts(VIDEO.length), bytes);
      expect(answer).toMatchObject({
        type: 'failed',
        message: expect.stringContaining('300000 announced bytes'),
      });
    }
    expect((await read(caller, `/sessions/${session.id}/artifacts`)).data.items).toEqual([]);
    expect(await readdir(join(folder, 'uploads'))).toEqual([]);
    expect(await upload(session, facts(VIDEO.length), VIDEO)).toMatchObject({ type: 'written' });
  });

  test('is refused for a lease that the host has not served, and for a session that is not recorded', async () => {
    const caller = await rig.key();
    const session = await recorded(caller);
    const refused = { refused: expect.stringContaining('no recording of session') };
    expect(await ask(session, facts(1), 'host-2')).toEqual(refused);
    expect(await ask({ ...session, epoch: 2 }, facts(1))).toEqual(refused);
    expect(await ask({ id: 'ses_none', epoch: 1 }, facts(1))).toEqual(refused);
    expect(await ask(session, facts(2 ** 50))).toEqual({ refused: expect.stringContaining('artifact.size') });
    await finish(session, 'host-2');
    expect((await rig.store.getSession(session.id))?.recording).toMatchObject({ isFinished: false });
  });

  test('is rejected when the account has no space left, and fails temporarily when the disk is full', async () => {
    const caller = await rig.key();
    await rig.store.updateAccount({ accountId: caller.accountId, maxArtifactBytes: 1_000 });
    const session = await recorded(caller);
    expect(await ask(session, facts(600))).toMatchObject({ ticket: expect.any(String) });
    const { refused, room } = await ask(session, facts(600, { name: 'video-2.mp4' }));
    expect(room).toBe(400);
    expect(refused).toContain('600 bytes, and the account’s artifacts use 600 of 1000 (max_artifact_bytes)');
    space.diskReserveBytes = Number.MAX_SAFE_INTEGER;
    await expect(ask(session, facts(600))).rejects.toThrow('PHONEBOOTH_DISK_RESERVE');
    space.diskReserveBytes = 0;
    expect(await ask(session, facts(600))).toMatchObject({ ticket: expect.any(String) });
  });

  test('needs one of the upload slots of its host', async () => {
    const session = await recorded(await rig.key());
    const slots = new Slots({ total: 1, perSubject: 1 });
    space.artifactUploads = slots;
    const { ingest, ticket } = await ask(session, facts(VIDEO.length));
    await expect(ask(session, facts(VIDEO.length))).rejects.toThrow('wait for one to end');
    const hello = {
      sessionId: session.id,
      epoch: session.epoch,
      purpose: 'artifact' as const,
      ticket: ticket!,
    };
    (await rig.links.dial(ingest!, hello)).close();
    await vi.waitFor(
      async () => expect(await ask(session, facts(VIDEO.length))).toHaveProperty('ticket'),
      WAIT,
    );
  });
});

test('the request, or else the default of the account, decides whether a session is recorded', async () => {
  const admin = await rig.key(undefined, 'admin');
  const json = (method: string, body: object) => ({
    ...{ method, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  });
  const { accountId } = admin;
  const limits = { record_sessions: true, max_artifact_bytes: 5_000, artifact_days: null };
  expect((await read(admin, `/admin/accounts/${accountId}`, json('PATCH', limits))).data).toMatchObject({
    ...limits,
    artifact_bytes: 0,
  });
  expect((await read(admin, '/usage')).data).toMatchObject({
    artifact_bytes: { limit: 5_000, used: 0 },
    record_sessions: true,
  });
  const model = `Model-${randomUUID()}`;
  await rig.report(...[1, 2, 3].map((n) => ({ id: `phone-${randomUUID()}-${n}`, model })));
  const borrow = async (body: object) =>
    (await read(admin, '/sessions', json('POST', { model, ...body }))).data.recording;
  expect(await borrow({})).toEqual({ status: 'recording', detail: null });
  expect(await borrow({ record: false })).toBeNull();
  expect(await borrow({ record: true })).toEqual({ status: 'recording', detail: null });
  const account = { name: `account-${randomUUID()}`, artifact_days: 7 };
  const created = await read(admin, '/admin/accounts', json('POST', account));
  // The default limit of the service in this test is none.
  const defaults = { record_sessions: false, max_artifact_bytes: null };
  expect(created.data).toMatchObject({ ...account, ...defaults });
});

test('each order for a recorded session contains the remaining storage of its account', async () => {
  const caller = await rig.key();
  await rig.store.updateAccount({ accountId: caller.accountId, maxArtifactBytes: 1_000 });
  const recordings: unknown[] = [];
  using _served = new DisposableStack();
  _served.adopt(
    rig.context.bus.serve('host.orders', HOST, async ({ orders }) => {
      recordings.push(orders[0]!.lease?.recording);
      return {};
    }),
    (one) => one.close(),
  );
  const session = await recorded(caller);
  await vi.waitFor(() => expect(recordings).toEqual([{ text: false, maxBytes: 1_000 }]), WAIT);
  await ask(session, facts(600));
  await send(caller, `/sessions/${session.id}/extend`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ duration: 5 }),
  });
  await vi.waitFor(() => expect(recordings[1]).toEqual({ text: false, maxBytes: 400 }), WAIT);
  const { id: sessionId, epoch } = session;
  const early = { sessionId, epoch, reason: 'expired', detail: null } as const;
  const { lease } = await handleSessionEnded(rig.context, early, HOST);
  expect(lease?.recording).toEqual({ text: false, maxBytes: 400 });
});

test('the periodic task deletes expired artifacts, their content and abandoned uploads, and fails recordings whose hosts stopped reporting', async () => {
  const caller = await rig.key();
  await rig.store.updateAccount({ accountId: caller.accountId, artifactDays: 30 });
  const { session, artifact } = await withVideo(caller);
  await send(caller, `/sessions/${session.id}/disconnect`, { method: 'POST' });
  const abandoned = join(folder, 'uploads', 'abandoned');
  await writeFile(abandoned, 'half');
  await utimes(abandoned, new Date(0), new Date(0));
  const changes: string[] = [];
  using _subscription = new DisposableStack();
  _subscription.adopt(
    rig.context.bus.subscribe('session.changed', ({ sessionId }) => changes.push(sessionId)),
    (one) => one.close(),
  );
  rig.travel(31 * DAY_MS);
  const stopping = new AbortController();
  const running = runArtifactUpkeep(rig.context, stopping.signal, { intervalMs: 10 });
  try {
    await vi.waitFor(async () => expect(await readdir(folder)).not.toContain(artifact.id), WAIT);
    await vi.waitFor(async () => expect(await readdir(join(folder, 'uploads'))).toEqual([]), WAIT);
    await vi.waitFor(() => expect(changes).toContain(session.id), WAIT);
  } finally {
    stopping.abort();
    await running;
  }
  expect((await read(caller, `/sessions/${session.id}/artifacts`)).data.items).toEqual([]);
  expect(await statusOf(caller, session)).toMatchObject({ status: 'complete', detail: expect.any(String) });
});

test('record and record_text belong to the request that an idempotency key repeats', async () => {
  const caller = await rig.key();
  const connect = async (deviceId: string, body: object) =>
    read(caller, `/devices/${deviceId}/connect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `key-${deviceId}` },
      body: JSON.stringify(body),
    });
  const [one, two] = [`phone-${randomUUID()}`, `phone-${randomUUID()}`];
  await rig.report({ id: one }, { id: two });
  const first = await connect(one, { record: true, record_text: true });
  expect(await connect(one, { record_text: true, record: true })).toEqual(first);
  expect(await connect(one, { record: true })).toMatchObject({ status: 409, code: 40012 });
  // As stored by a version without these fields
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([two, 30, null]))
    .digest('base64url');
  const { accountId, keyId } = caller;
  const command = {
    deviceId: two,
    accountId,
    keyId,
    minutes: 30,
    appId: null,
    record: null,
    recordText: false,
  };
  const sessionId = `ses_${randomUUID()}`;
  await rig.store.connect({ ...command, sessionId, idempotency: { key: `key-${two}`, fingerprint } });
  expect((await connect(two, {})).data).toMatchObject({ session_id: sessionId, recording: null });
  expect((await connect(two, { record_text: false })).data).toMatchObject({ session_id: sessionId });
});

describe('a link to a recording', () => {
  test('does not use the slots for downloads of its account, and its downloads end when it is revoked', async () => {
    const caller = await rig.key();
    const { session, artifact } = await withVideo(caller, randomBytes(32 * 1024 * 1024));
    const { data } = await create(caller, session);
    const headers = { authorization: `Bearer ${data.token}` };
    using reads = readsOf();
    const { perSubject } = rig.context.downloads;
    const url = `${origin()}/shared/recordings/${session.id}/${artifact.id}`;
    const downloads = await Promise.all(Array.from({ length: perSubject }, () => fetch(url, { headers })));
    expect(downloads.map(({ status }) => status)).toEqual(downloads.map(() => 200));
    const refused = await fetch(url, { headers });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('through links') });
    const own = await send(caller, artifact.url.slice('/v1'.length));
    expect((await own.arrayBuffer()).byteLength).toBe(32 * 1024 * 1024);
    await send(caller, `/sessions/${session.id}/watch-links/${data.id}`, { method: 'DELETE' });
    await vi.waitFor(
      () => expect(reads.opened.map(({ destroyed }) => destroyed)).toEqual([true, true, true, true]),
      WAIT,
    );
    for (const { body } of downloads) await body?.cancel().catch(() => {});
  });

  const origin = () => new URL(rig.baseUrl).origin;
  const open = (sessionId: string, headers: Record<string, string>) =>
    fetch(`${origin()}/shared/recordings/${sessionId}`, { method: 'POST', headers });
  const create = (caller: Pick<Caller, 'key'>, { id }: SessionRow, body: object = {}) =>
    read(caller, `/sessions/${id}/recording-links`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(body),
    });

  test('shows the artifacts without a key, in parts too, to the browser that opened it', async () => {
    const caller = await rig.key();
    const { session, artifact } = await withVideo(caller);
    const { data: link } = await create(caller, session, { expires_in: 60 });
    expect(link).toMatchObject({ shows: 'recording', session_id: session.id, revoked_at: null });
    expect(link.page).toBe(`/replay#session=${session.id}&token=${link.token}`);
    const opened = await open(session.id, { authorization: `Bearer ${link.token}` });
    const { data } = (await opened.json()) as { data: Data };
    expect(data).toMatchObject({ session_id: session.id, is_complete: false, expires_at: link.expires_at });
    const url = `/shared/recordings/${session.id}/${artifact.id}`;
    expect(data.artifacts).toEqual([{ ...artifact, url }]);
    const setCookie = opened.headers.get('set-cookie')!;
    expect(setCookie).toMatch(/; Max-Age=3[56]\d\d; .*HttpOnly; SameSite=Strict/);
    const cookie = setCookie.split(';', 1)[0]!;
    const part = await fetch(origin() + url, { headers: { cookie, range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(VIDEO.subarray(10, 20))).toBe(true);
    const headers = { cookie, 'sec-fetch-site': 'cross-site' };
    expect((await fetch(origin() + url, { headers })).status).toBe(403);
    // The token of a link is not an API key, and a key is not the token of a link.
    const asKey = await send({ key: link.token }, `/sessions/${session.id}/artifacts`);
    expect(asKey.status).toBe(401);
    expect((await open(session.id, { authorization: `Bearer ${caller.key}` })).status).toBe(401);
  });

  test('stops working when it expires or is revoked, and opens no other session', async () => {
    const caller = await rig.key();
    const { session } = await withVideo(caller);
    const { session: other, artifact } = await withVideo(caller);
    const links = [];
    for (const expires_in of [1, 60]) links.push((await create(caller, session, { expires_in })).data);
    const [short, long] = links.map(({ token }) => ({ authorization: `Bearer ${token}` }));
    expect((await open(other.id, long!)).status).toBe(401);
    const url = `${origin()}/shared/recordings/${session.id}/${artifact.id}`;
    expect((await fetch(url, { headers: long! })).status).toBe(404);
    rig.travel(60_000);
    expect([(await open(session.id, short!)).status, (await open(session.id, long!)).status]).toEqual([
      401, 200,
    ]);
    await send(caller, `/sessions/${session.id}/watch-links/${links[1].id}`, { method: 'DELETE' });
    expect((await open(session.id, long!)).status).toBe(401);
    const { message } = (await (await open(session.id, long!)).json()) as Data;
    expect(message).toBe('the link is invalid, revoked or expired; ask for a new link to the recording');
  });

  test('cannot be created by a viewer, or for a session without a recording', async () => {
    const caller = await rig.key();
    const session = await recorded(caller);
    expect(await create(await viewerOf(caller), session)).toMatchObject({ status: 403 });
    expect(await create(await rig.key(), session)).toMatchObject({ status: 404, code: 40005 });
    expect(await create(caller, session, { expires_in: 0 })).toMatchObject({ status: 400, code: 40000 });
    const deviceId = `phone-${randomUUID()}`;
    await rig.report({ id: deviceId });
    const { data } = await read(caller, `/devices/${deviceId}/connect`, { method: 'POST' });
    expect(await create(caller, { id: data.session_id } as SessionRow)).toMatchObject({
      ...{ status: 409, code: 40019 },
      message: expect.stringContaining('is not recorded; connect with "record": true'),
    });
  });
});
