import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { removeUndecided } from '../../src/control-plane/apps/sweeper.ts';
import { makeApk } from '../fixtures/apk.ts';
import { LossyPostgres } from '../fixtures/lossy-postgres.ts';
import { sharedPostgres } from '../fixtures/shared-postgres.ts';
import { type ApiRig, startApiRig } from './api-rig.ts';

const SOON = { timeout: 60_000, interval: 20 };

const phones = (cleanEpoch: number) => [
  { id: 'phone-1', model: 'Model A', cleanEpoch },
  { id: 'phone-2', model: 'Model B', cleanEpoch },
];

const opened = new AsyncDisposableStack();
let database: LossyPostgres;
let rig: ApiRig;
let key: string;
let accountId: string;

beforeAll(async () => {
  database = opened.use(await LossyPostgres.start(await sharedPostgres.createDatabase()));
  rig = opened.use(await startApiRig({ databaseUrl: database.url, waiting: { pollMs: 20 } }));
  await rig.report(...phones(0));
  ({ key, accountId } = await rig.key());
});
afterAll(() => opened.disposeAsync());

interface Answer {
  code: number;
  data: { id: string; session_id: string; device_id: string };
}

async function post(path: string, body: object = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return send(path, { headers, body: JSON.stringify(body) });
}

async function send(path: string, request: RequestInit): Promise<Answer> {
  const answer = await fetch(`${rig.baseUrl}${path}`, { method: 'POST', ...request });
  return (await answer.json()) as Answer;
}

const upload = (packageName: string) =>
  send('/apps', {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(makeApk({ packageName })),
  });

const borrow = (model: string, wait: number) => post('/sessions', { duration: 5, model, wait });

async function waitingFor(model: string): Promise<number> {
  const filter = { brand: '', osVersion: '', model };
  return (await rig.store.getQueueStandings(filter, [accountId])).get(accountId)!.waiting.length;
}

test('an uploaded app keeps its files although its commit was not confirmed', async () => {
  const { appFiles } = rig.context;
  const lost = database.loseCommitAfter('org.acme.kept');
  expect((await upload('org.acme.kept')).code).toBe(50300);
  await lost;
  await removeUndecided(rig.context, 0);
  const { code, data } = await upload('org.acme.kept');
  expect(code).toBe(0);
  expect(await appFiles.list(data.id)).toHaveLength(1);
  expect(appFiles.undecided.size).toBe(0);
});

test('an upload that was not committed leaves no files behind', async () => {
  const { appFiles } = rig.context;
  const lost = database.loseCommitAfter('org.acme.lost', { isSent: false });
  expect((await upload('org.acme.lost')).code).toBe(50300);
  await lost;
  const [[id] = []] = appFiles.undecided;
  expect(await appFiles.list(id!)).toHaveLength(1);
  await removeUndecided(rig.context, 0);
  await expect(appFiles.list(id!)).rejects.toThrow('ENOENT');
  expect((await upload('org.acme.lost')).code).toBe(0);
});

test('a request that waits for a phone leaves the queue when its commit was not confirmed', async () => {
  const held = [await borrow('Model A', 0), await borrow('Model B', 0)];
  // A process with waiting requests keeps all of its places in the queue.
  const waiting = borrow('Model B', 600);
  await vi.waitFor(async () => expect(await waitingFor('Model B')).toBe(1), SOON);
  const lost = database.loseCommitAfter('Model A');
  expect((await borrow('Model A', 600)).code).toBe(50300);
  await lost;
  await vi.waitFor(async () => expect(await waitingFor('Model A')).toBe(0), SOON);
  for (const { data } of held) expect((await post(`/sessions/${data.session_id}/disconnect`)).code).toBe(0);
  await rig.report(...phones(1));
  const { data } = await waiting;
  expect(data.device_id).toBe('phone-2');
  expect((await post(`/sessions/${data.session_id}/disconnect`)).code).toBe(0);
});

test('a session ends when its commit was not confirmed to a request for any phone', async () => {
  const lost = database.loseCommitAfter('Model A');
  expect((await borrow('Model A', 0)).code).toBe(50300);
  await lost;
  await vi.waitFor(
    async () => expect(await rig.store.getUsage(accountId)).toMatchObject({ sessions: { live: 0 } }),
    SOON,
  );
});
