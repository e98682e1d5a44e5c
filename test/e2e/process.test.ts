import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Api, type Session, succeeded } from '../black-box/kit/api.ts';
import { borrowConnected } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { Description } from '../black-box/kit/description.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until, within } from '../black-box/kit/wait.ts';
import { freePort } from '../fixtures/free-port.ts';
import { end, launch, processEnv } from '../fixtures/process.ts';
import { runCommand, type Service, startService } from '../fixtures/service.ts';

async function clientOf(service: Service): Promise<{ api: Api; ca: string }> {
  const description = await Description.fetch(service.baseUrl, undefined);
  const api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
  return { api, ca: readFileSync(service.caFile, 'utf8') };
}

describe('the service process', () => {
  test('reports that it is ready once its phones are available', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'phonebooth-ready-'));
    const [port, tlsPort] = [await freePort(), await freePort()];
    const env = {
      ...processEnv(dataDir),
      PHONEBOOTH_PORT: String(port),
      PHONEBOOTH_TLS_PORT: String(tlsPort),
      PHONEBOOTH_API_KEY: `pb_${'k'.repeat(40)}`,
      // The service waits 20 s for its phones, and each costs two seconds of CPU time.
      PHONEBOOTH_SIMULATED_PHONES: '1',
    };
    const launched = launch(['serve'], env);
    const devices = async () => {
      const headers = { Authorization: `Bearer ${env.PHONEBOOTH_API_KEY}` };
      const answer = await fetch(`http://localhost:${port}/v1/devices?status=available`, { headers });
      return ((await answer.json()) as { data: { total: number } }).data.total;
    };
    try {
      await until('/readyz to answer 200', async () => {
        const answer = await fetch(`http://localhost:${port}/readyz`).catch(() => null);
        return answer?.ok === true;
      });
      expect(await devices()).toBe(1);
    } finally {
      await end(launched.child, 'SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  test('continues its sessions after a restart', async () => {
    await using service = await startService();
    const { api, ca } = await clientOf(service);
    const { session } = await borrowConnected(api);
    await using viewer = await Viewer.open(session.stream_url, { ca });
    await using controller = await Controller.ready(session.control_url, { ca });
    await viewer.firstFrame();

    expect(await service.stop()).toBe(0);
    for (const { closed } of [viewer, controller]) {
      const { code, reason } = await within('the socket to be closed', closed);
      expect(code).toBe(1012);
      expect(reason).toMatch(/\S/);
    }
    expect(service.output()).not.toMatch(/error/i);

    await service.restart();
    const path = `/sessions/${session.session_id}`;
    const again = succeeded(await api.get<Session>(path));
    expect(again.status).not.toBe('disconnected');
    expect(again).toMatchObject({ ...session, status: expect.any(String) });
    await using nextViewer = await Viewer.open(session.stream_url, { ca });
    await using nextController = await Controller.ready(session.control_url, { ca });
    await nextViewer.firstFrame();
    expect(await nextController.call('key', { key: 'HOME' })).toBeNull();
    expect(succeeded(await api.post<Session>(`${path}/disconnect`)).minutes_charged).toBeGreaterThan(0);
  });

  test('keeps a second server off its data folder with a one-line error, while the keys command works beside it', async () => {
    await using service = await startService();
    const env = { ...service.env, PHONEBOOTH_PORT: '0', PHONEBOOTH_TLS_PORT: '0' };
    const second = await runCommand(['serve'], env);
    expect(second.code).toBe(1);
    expect(second.stdout).toBe('');
    expect(second.stderr.trim().split('\n')).toEqual([expect.stringContaining(service.dataDir)]);

    const created = await service.command('keys', 'create', '--account', 'team', '--json');
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const { key, id } = JSON.parse(created.stdout) as { key: string; id: string };
    const listed = await service.command('keys', 'list');
    expect(listed.stdout).toContain('team');
    expect(listed.stdout).not.toContain(key);
    const { api } = await clientOf(service);
    succeeded(await api.withKey(key).get('/devices'));
    expect((await service.command('keys', 'revoke', id)).code).toBe(0);
    expect((await service.command('keys', 'list')).stdout).toMatch(/team\s+user\s+revoked/);
    expect((await service.command('keys', 'revoke', 'nobody')).code).toBe(1);
    expect((await service.command('keys', 'list', '--account', 'typo')).stderr).toContain(
      'account typo does not exist; list the accounts with phonebooth accounts list',
    );
  });

  test.each([
    ['PHONEBOOTH_PORT', '70000'],
    ['PHONEBOOTH_HOST', 'not an address'],
    ['PHONEBOOTH_MAX_DURATION', '0'],
    ['PHONEBOOTH_API_KEY', 'short'],
    ['PHONEBOOTH_DATABASE_URL', 'mysql://localhost/x'],
    ['PHONEBOOTH_STREAM_URL', 'https://phones.example'],
    ['PHONEBOOTH_CONTROL_URL', 'wss://localhost:1'],
    ['PHONEBOOTH_SIMULATED_PHONE', '4'],
  ])('rejects an invalid %s with a one-line error that names it, and exit code 2', async (name, value) => {
    const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', [name]: value };
    const { code, stdout, stderr } = await runCommand(['serve'], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(name)]);
  });

  test('reports a port in use in one line', async () => {
    await using service = await startService();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      expect(await service.stop()).toBe(0);
      const port = String((other.address() as { port: number }).port);
      const { code, stderr } = await runCommand(['serve'], { ...service.env, PHONEBOOTH_PORT: port });
      expect(code).toBe(1);
      expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(port)]);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });
});
