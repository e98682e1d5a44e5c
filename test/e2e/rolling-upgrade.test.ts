import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type Device, type Session, succeeded, type Usage } from '../black-box/kit/api.ts';
import { connected, listAll } from '../black-box/kit/borrow.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import { freePort } from '../fixtures/free-port.ts';
import { end, launch, processEnv, ready } from '../fixtures/process.ts';
import { sharedPostgres } from '../fixtures/shared-postgres.ts';

/**
 * The version that fleets run before they are upgraded to this one. It is updated with each release. It also loads
 * `@fastify/swagger`, which is a development dependency for this reason.
 */
const PREVIOUS = '2fc6f1e2e91589655099169ee4edcbdc745ee9df';
/** Packages of the previous version that this one does not have. Nothing in this test uses them. */
const DROPPED: Record<string, string> = {
  '@fastify/swagger-ui': 'export default async () => {};',
  '@opentelemetry/exporter-trace-otlp-http': 'export class OTLPTraceExporter {}',
};
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KEY = 'pb_the-same-key-for-both-versions-of-it';

const opened = new AsyncDisposableStack();
let databaseUrl: string;
let before: { api: Api; deviceIds: string[] };
let after: { api: Api; httpOrigin: string };

/**
 * Checks out the files of an earlier commit, to run with the packages of this one.
 * @throws Error if this is not a clone with its history
 */
async function checkOut(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-previous-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    execFileSync('bash', ['-c', `set -o pipefail; git archive ${commit} | tar -x -C '${folder}'`], {
      cwd: ROOT,
      stdio: 'pipe',
    });
  } catch (error) {
    throw new Error(`this needs commit ${commit} of the project's history: git fetch --unshallow`, {
      cause: error,
    });
  }
  await mkdir(join(folder, 'dist'));
  // That version runs its sources; this version's bundle must not run in its place.
  for (const name of ['dist/console', 'dist/docs']) await symlink(join(ROOT, name), join(folder, name));
  await linkPackages(join(folder, 'node_modules'));
  return join(folder, 'bin', 'phonebooth.mjs');
}

/** Links the packages of this version, and writes those that only the previous one loads. */
async function linkPackages(folder: string): Promise<void> {
  const scopes = new Set(Object.keys(DROPPED).map((name) => dirname(name)));
  for (const name of ['.', ...scopes]) {
    await mkdir(join(folder, name), { recursive: true });
    for (const entry of await readdir(join(ROOT, 'node_modules', name))) {
      const path = join(name, entry);
      if (!scopes.has(path) && !(path in DROPPED))
        await symlink(join(ROOT, 'node_modules', path), join(folder, path));
    }
  }
  for (const [name, source] of Object.entries(DROPPED)) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
    await writeFile(join(folder, name, 'index.js'), source);
  }
}

/** Starts a whole service on the shared database, with two simulated phones. */
async function serve(command?: string): Promise<{ api: Api; httpOrigin: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'phonebooth-upgrade-'));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  await mkdir(join(dataDir, 'apps'));
  const { PHONEBOOTH_DRAIN_SECONDS: drainSeconds, ...common } = processEnv(dataDir);
  const env: Record<string, string> = {
    ...common,
    // The previous version rejects a setting that it does not know.
    ...(command === undefined && { PHONEBOOTH_DRAIN_SECONDS: drainSeconds! }),
    PHONEBOOTH_DATABASE_URL: databaseUrl,
    PHONEBOOTH_API_KEY: KEY,
    PHONEBOOTH_SIMULATED_PHONES: '2',
    PHONEBOOTH_PORT: String(await freePort()),
    PHONEBOOTH_TLS_PORT: String(await freePort()),
  };
  const httpOrigin = `http://localhost:${env.PHONEBOOTH_PORT}`;
  const launched = launch(['serve'], env, command);
  opened.defer(() => end(launched.child, 'SIGTERM'));
  await ready(launched, httpOrigin);
  const baseUrl = `${httpOrigin}/v1`;
  const description = await Description.fetch(baseUrl, undefined);
  return { api: new Api({ baseUrl, key: KEY, ca: undefined, description }), httpOrigin };
}

const allFree = (api: Api, count: number) =>
  until(`${count} phones to be available`, async () => {
    const free = await listAll(api, '&status=available');
    return free.length === count ? free : null;
  });

beforeAll(async () => {
  databaseUrl = await sharedPostgres.createDatabase();
  const { api } = await serve(await checkOut(PREVIOUS));
  before = { api, deviceIds: (await allFree(api, 2)).map(({ id }) => id) };
});
afterAll(() => opened.disposeAsync());

test('a session of the previous version continues while this version starts and migrates the schema', async () => {
  const { session_id } = succeeded(
    await before.api.post<Session>(`/devices/${before.deviceIds[0]}/connect`, { duration: 7 }),
  );
  await connected(before.api, { session_id } as Session);
  after = await serve();
  expect(succeeded(await after.api.get<Session>(`/sessions/${session_id}`))).toMatchObject({
    status: 'connected',
    minutes_reserved: 7,
  });
  const extended = await before.api.post<Session>(`/sessions/${session_id}/extend`, { duration: 3 });
  expect(succeeded(extended)).toMatchObject({ minutes_reserved: 10 });
  expect(succeeded(await after.api.post<Session>(`/sessions/${session_id}/disconnect`))).toMatchObject({
    status: 'disconnected',
    end_reason: 'client',
  });
  // This version adds fields to devices, and changes none.
  expect(await allFree(after.api, 4)).toMatchObject(await allFree(before.api, 4));
});

test('each version serves the phones of the other, and both share one quota', async () => {
  const sessions: Session[] = [];
  const borrow = async (api: Api, { id }: Pick<Device, 'id'>) => {
    const session = succeeded(await api.post<Session>(`/devices/${id}/connect`, { duration: 5 }));
    sessions.push(session);
    return connected(api, session);
  };
  const free = await allFree(after.api, 4);
  const ofAfter = free.filter(({ id }) => !before.deviceIds.includes(id));
  await Promise.all([
    borrow(after.api, { id: before.deviceIds[0]! }),
    borrow(before.api, { id: before.deviceIds[1]! }),
    borrow(before.api, ofAfter[0]!),
    borrow(after.api, ofAfter[1]!),
  ]);
  for (const { id } of free) {
    for (const { api } of [before, after])
      expect((await api.post(`/devices/${id}/connect`)).code).toBe(40010);
  }
  for (const [index, { session_id }] of sessions.entries()) {
    succeeded(await (index % 2 ? before : after).api.post(`/sessions/${session_id}/disconnect`));
  }
  expect(await allFree(after.api, 4)).toHaveLength(4);
  const [one, other] = [
    succeeded(await before.api.get<Usage>('/usage')),
    succeeded(await after.api.get<Usage>('/usage')),
  ];
  expect(one.minutes).toEqual(other.minutes);
  expect(one.minutes).toMatchObject({ reserved: 0 });
});

test('a WebDriver session on a phone of the previous version is not created, and the error says why', async () => {
  const wanted = { 'appium:udid': before.deviceIds[0], 'phonebooth:options': { wait: 60 } };
  const response = await fetch(`${after.httpOrigin}/wd/hub/session`, {
    ...{ method: 'POST', headers: { authorization: `Bearer ${KEY}` } },
    body: JSON.stringify({ capabilities: { alwaysMatch: wanted } }),
  });
  expect(await response.json()).toMatchObject({
    value: { error: 'session not created', message: expect.stringContaining('an earlier version') },
  });
  expect(await allFree(after.api, 4)).toHaveLength(4);
});
