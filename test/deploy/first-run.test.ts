import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendHttp } from '../black-box/kit/http.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until } from '../black-box/kit/wait.ts';
import { freePort } from '../fixtures/free-port.ts';
import { startNats, type TestNats } from '../fixtures/nats.ts';
import { query, startPostgres } from '../fixtures/postgres.ts';
import { end, launch, ready } from '../fixtures/process.ts';
import { withoutContainer } from './containers.ts';
import { commandsUnder, DEPLOY, readCompose, readEnvironmentFile } from './deployment.ts';

const README = join(DEPLOY, 'README.md');
const CREATED_BY_FIRST_RUN = /deploy\/(secrets|tls|nats\/tls|nats\/hosts\.conf|\.env)$/;
const SCRIPT_DEADLINE_MS = 120_000;
/** Number of phones of the agent in the compose file, and of every agent without that setting. */
const PHONES = 4;

const opened = new AsyncDisposableStack();
/** A copy of deploy/. */
let folder: string;
let postgresPort: number;
let nats: TestNats;
let apiPort: number;

/** Runs commands of the README in a real shell, in the folder that they are meant for, and returns their output. */
async function runCommands(script: string): Promise<string> {
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, POSTGRES_PORT: String(postgresPort) };
  const options = { cwd: folder, env, timeout: SCRIPT_DEADLINE_MS };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options);
  return stdout;
}

/** Starts the process that a service's container runs. The test's settings override those of the container. */
async function startService(name: string, own: Record<string, string> = {}): Promise<void> {
  const { command = [] } = readCompose(folder).services[name]!;
  const given = withoutContainer(folder, name, { postgresPort, natsPort: nats.port });
  // Each container has its own ports. Here, several hosts share one machine.
  const env = { ...given, PHONEBOOTH_PORT: '0', ...own };
  const running = launch(command, env);
  opened.defer(() => end(running.child, 'SIGTERM'));
  await ready(running, own.PHONEBOOTH_PORT ? `http://localhost:${own.PHONEBOOTH_PORT}` : null);
}

const ca = () => readFileSync(join(folder, 'tls/ca.pem'), 'utf8');

/**
 * Sends a request over TLS as a client that trusts the CA of the first run and uses the key that it created. Returns
 * `data`.
 */
async function callApi(method: 'GET' | 'POST', path: string) {
  const { PHONEBOOTH_API_KEY } = readEnvironmentFile(join(folder, 'secrets/control-plane.env'));
  const url = `https://localhost:${apiPort}/v1${path}`;
  const headers = { authorization: `Bearer ${PHONEBOOTH_API_KEY}` };
  const { bytes } = await sendHttp({ method, url, headers, ca: ca() });
  const { code, message, data } = JSON.parse(bytes.toString());
  expect({ code, message }).toEqual({ code: 0, message: 'success' });
  return data;
}

const phonesInTheList = (count: number) =>
  until(
    `${count} phones in the list`,
    async () => (await callApi('GET', '/devices?status=available')).total === count,
    { everyMs: 200 },
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-deploy-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await cp(DEPLOY, folder, { recursive: true, filter: (path) => !CREATED_BY_FIRST_RUN.test(path) });
  await mkdir(join(folder, 'bin'));
  const docker = join(import.meta.dirname, 'docker-child.ts');
  const script = `#!/bin/sh\nexec '${process.execPath}' '${docker}' "$@"\n`;
  await writeFile(join(folder, 'bin/docker'), script, { mode: 0o755 });
  const postgres = opened.use(await startPostgres());
  postgresPort = Number(new URL(postgres.url).port);
  await query(postgres.url, 'create role phonebooth login');
  await query(postgres.url, 'create database phonebooth owner phonebooth');
});
afterAll(() => opened.disposeAsync());

test('the documented first run ends with a phone of the agent on a viewer’s screen', async () => {
  const [untilRunning] = commandsUnder(README, 'First run with Compose').split(/^key=/m);
  await runCommands(untilRunning!);
  const config = await readFile(join(folder, 'nats/nats-server.conf'), 'utf8');
  nats = await startNats(config, async (where) => {
    for (const name of ['tls', 'hosts.conf']) await symlink(join(folder, 'nats', name), join(where, name));
  });
  opened.use(nats);
  const tlsPorts = { api: await freePort(), stream: await freePort(), control: await freePort() };
  apiPort = tlsPorts.api;
  const origins = {
    PHONEBOOTH_STREAM_URL: `wss://localhost:${tlsPorts.stream}`,
    PHONEBOOTH_CONTROL_URL: `wss://127.0.0.1:${tlsPorts.control}`,
  };
  const start = async ([name, tlsPort]: [string, number]) => {
    const ports = { PHONEBOOTH_PORT: String(await freePort()), PHONEBOOTH_TLS_PORT: String(tlsPort) };
    await startService(name, { ...origins, ...ports });
  };
  const [api, ...gateways] = Object.entries(tlsPorts);
  await start(api!);
  await Promise.all([...gateways.map(start), startService('agent')]);
  await phonesInTheList(PHONES);

  const { items } = await callApi('GET', '/devices');
  const session = await callApi('POST', `/devices/${items[0].id}/connect`);
  {
    await using viewer = await Viewer.open(session.stream_url, { ca: ca() });
    await viewer.firstFrame();
  }
  await callApi('POST', `/sessions/${session.session_id}/disconnect`);
});

test('admits another host once NATS has reloaded its configuration', async () => {
  const printed = await runCommands(commandsUnder(README, 'Another host'));
  await nats.reload();
  const credential = printed.split('\n', 1)[0]!;
  const dataDir = join(folder, 'data/shelf-2');
  await mkdir(dataDir);
  await startService('agent', { PHONEBOOTH_HOST_CREDENTIAL: credential, PHONEBOOTH_DATA_DIR: dataDir });
  await phonesInTheList(2 * PHONES);
});
