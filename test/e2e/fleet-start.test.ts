import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newNkey } from '../../src/bus/nkey.ts';
import { Api, type Session, succeeded } from '../black-box/kit/api.ts';
import { connected, listAll } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { Description } from '../black-box/kit/description.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Fleet, startFleet } from '../fixtures/fleet.ts';
import { freePort } from '../fixtures/free-port.ts';
import { startNats, type TestNats } from '../fixtures/nats.ts';
import { end, launch, processEnv, ready } from '../fixtures/process.ts';
import { runCommand, startService } from '../fixtures/service.ts';
import { available } from './fleet-rig.ts';

const key = `pb_${randomBytes(32).toString('base64url')}`;
const folders: string[] = [];
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-start-'));
  folders.push(folder);
  return folder;
};
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describe('a fleet process that cannot start', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet();
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  const settings = async (own: Record<string, string>): Promise<Record<string, string>> => ({
    ...processEnv(await newFolder()),
    PHONEBOOTH_PORT: '0',
    PHONEBOOTH_NATS_URL: fleet.nats.url,
    PHONEBOOTH_DATABASE_URL: fleet.postgres.url,
    PHONEBOOTH_STREAM_URL: 'wss://localhost:7143',
    PHONEBOOTH_CONTROL_URL: 'wss://127.0.0.1:7143',
    ...own,
  });
  const oneLine = (text: string) =>
    expect.stringMatching(new RegExp(`^phonebooth: [^\\n]*${text}[^\\n]*\\n$`));

  test.each([
    ['an agent with a malformed credential', 'agent', { PHONEBOOTH_HOST_CREDENTIAL: 'open sesame' }, 2],
    ['an agent without a credential', 'agent', {}, 2],
  ])('%s reports the invalid setting', async (_, role, own, code) => {
    const finished = await runCommand([role], await settings(own as Record<string, string>));
    expect(finished).toEqual({ code, stdout: '', stderr: oneLine('PHONEBOOTH_HOST_CREDENTIAL') });
    expect(finished.stderr).not.toContain('sesame');
  });

  test('an agent that was not added is rejected by NATS', async () => {
    const stranger = { PHONEBOOTH_HOST_CREDENTIAL: `host_stranger.${newNkey().seed}` };
    const finished = await runCommand(['agent'], await settings(stranger));
    expect(finished).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: oneLine('the NATS server rejected the credential of this process'),
    });
  });

  test('an api process reports a missing database', async () => {
    const nowhere = `postgres://postgres@127.0.0.1:${await freePort()}/postgres`;
    const finished = await runCommand(['api'], await settings({ PHONEBOOTH_DATABASE_URL: nowhere }));
    expect(finished).toEqual({ code: 1, stdout: '', stderr: oneLine('cannot be reached') });
  });

  test('an api process reports a missing NATS server after 10 s', async () => {
    const nowhere = `nats://127.0.0.1:${await freePort()}`;
    const finished = await runCommand(['api'], await settings({ PHONEBOOTH_NATS_URL: nowhere }));
    expect(finished).toEqual({
      code: 1,
      stdout: '',
      stderr: oneLine(`cannot connect to a NATS server at ${nowhere}`),
    });
  });

  test('an agent that starts before NATS waits for it and logs this', async () => {
    const { stdout } = await runCommand(['hosts', 'add', '--name', 'early', '--json'], await settings({}));
    const { credential } = JSON.parse(stdout) as { credential: string };
    await fleet.publishHosts();
    await fleet.nats.kill();
    const own = { PHONEBOOTH_HOST_CREDENTIAL: credential, PHONEBOOTH_SIMULATED_PHONES: '1' };
    const agent = launch(['agent'], await settings(own));
    try {
      const says = () => agent.stderr().includes(`cannot connect to a NATS server at ${fleet.nats.url} yet`);
      await until('the agent to log it', says);
      await fleet.nats.resume();
      await ready(agent, null);
    } finally {
      await end(agent.child, 'SIGTERM');
    }
    expect(agent.stderr().split(' yet; retrying')).toHaveLength(2);
  });
});

describe('phonebooth serve with NATS', () => {
  let nats: TestNats | undefined;
  afterAll(() => nats?.[Symbol.asyncDispose]());

  test('offers its own phones and those of another host', async () => {
    const dataDir = await newFolder();
    const near = processEnv(dataDir);
    const added = await runCommand(['hosts', 'add', '--name', 'other', '--json'], near);
    const { credential } = JSON.parse(added.stdout) as { credential: string };
    const config = (await runCommand(['hosts', 'nats-config'], near)).stdout;
    nats = await startNats('include "hosts.conf"\n', (folder) =>
      writeFile(join(folder, 'hosts.conf'), config),
    );
    const bus = { PHONEBOOTH_NATS_URL: nats.url, PHONEBOOTH_SIMULATED_PHONES: '1' };
    const ingest = { PHONEBOOTH_INGEST_PORT: String(await freePort()) };
    const settings = { ...near, ...bus, ...ingest, PHONEBOOTH_API_KEY: key };
    await using service = await startService({ settings });
    const own = { PHONEBOOTH_HOST_CREDENTIAL: credential, PHONEBOOTH_PORT: '0' };
    const other = { ...processEnv(await newFolder()), ...bus, ...own };
    const agent = launch(['agent'], other);
    try {
      await ready(agent, null);
      const description = await Description.fetch(service.baseUrl, undefined);
      const api = new Api({ baseUrl: service.baseUrl, key, ca: undefined, description });
      const trust = { ca: await readFile(join(dataDir, 'tls', 'ca.pem'), 'utf8') };
      await available(api, 2);
      for (const { id } of await listAll(api)) {
        const connecting = succeeded(await api.post<Session>(`/devices/${id}/connect`, { duration: 5 }));
        const session = await connected(api, connecting);
        await using viewer = await Viewer.open(session.stream_url, trust);
        await using controller = await Controller.ready(session.control_url, trust);
        await viewer.firstFrame();
        expect(await controller.call('key', { key: 'HOME' })).toBeNull();
        const { bytes } = await api.get(`/sessions/${session.session_id}/screenshot`);
        expect(bytes.subarray(1, 4).toString()).toBe('PNG');
        succeeded(await api.post(`/sessions/${session.session_id}/disconnect`));
      }
      await available(api, 2);
      // The only warnings that a machine may cause that stands still
      const slow = /"msg":"control plane (did not accept the report|accepts reports again)"/;
      const lines = `${service.output()}${agent.output()}`.split('\n');
      expect(lines.filter((line) => /"level":[456]0/.test(line) && !slow.test(line))).toEqual([]);
    } finally {
      await end(agent.child, 'SIGTERM');
    }
  });
});
