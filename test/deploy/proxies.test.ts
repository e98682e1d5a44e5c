import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, succeeded } from '../black-box/kit/api.ts';
import { borrowConnected } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { Description } from '../black-box/kit/description.ts';
import { sendHttp } from '../black-box/kit/http.ts';
import { refusedUpgrade } from '../black-box/kit/socket.ts';
import type { Target } from '../black-box/kit/target.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until } from '../black-box/kit/wait.ts';
import { appsSuite } from '../black-box/suite/apps.ts';
import { connectSuite } from '../black-box/suite/connect.ts';
import { controlSuite } from '../black-box/suite/control.ts';
import { devicesSuite } from '../black-box/suite/devices.ts';
import { sessionsSuite } from '../black-box/suite/sessions.ts';
import { streamSuite } from '../black-box/suite/stream.ts';
import { makeApk } from '../fixtures/apk.ts';
import { freePort } from '../fixtures/free-port.ts';
import { end } from '../fixtures/process.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { isNightly } from '../nightly.ts';
import { ROOT } from './deployment.ts';

const NAMES = ['phones.example.com', 'stream.phones.example.com', 'control.phones.example.com'];
/** An address of this machine that differs from the one at which the proxies reach the service. */
const CLIENT = '127.0.0.2';

interface Proxy {
  file: string;
  programs: string[];
  /** Replaces the ports and names of the configuration in this repository. */
  adapt: (config: string, ports: { own: number }) => string;
  args: (file: string, folder: string) => string[];
  /** On SIGTERM, Caddy waits for idle connections. nginx needs it, to stop its worker process. */
  stop: 'SIGTERM' | 'SIGKILL';
}

const PROXIES: Record<string, Proxy> = {
  nginx: {
    file: 'nginx.conf',
    programs: ['/usr/sbin/nginx', '/usr/bin/nginx'],
    adapt: (config, { own }) =>
      `events {}
pid nginx.pid;
http {
access_log off;
client_body_temp_path body;
proxy_temp_path proxy;
fastcgi_temp_path fastcgi;
uwsgi_temp_path uwsgi;
scgi_temp_path scgi;
${config.replace('listen 443', `listen 127.0.0.1:${own}`).replace(NAMES.join(' '), 'localhost 127.0.0.1')}
}`,
    args: (file, folder) => {
      const user = process.getuid?.() === 0 ? 'user root;' : '';
      return ['-c', file, '-p', folder, '-e', 'stderr', '-g', `daemon off; ${user}`];
    },
    stop: 'SIGTERM',
  },
  HAProxy: {
    file: 'haproxy.cfg',
    programs: ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/usr/bin/haproxy'],
    adapt: (config, { own }) =>
      config.replace('bind :443', `bind 127.0.0.1:${own}`).replace('maxconn 20000', 'maxconn 1000'),
    args: (file) => ['-db', '-f', file],
    stop: 'SIGTERM',
  },
  Caddy: {
    file: 'Caddyfile',
    programs: ['/usr/bin/caddy', '/usr/local/bin/caddy'],
    adapt: (config, { own }) =>
      `{\n  admin off\n  auto_https off\n  servers {\n    protocols h1 h2\n  }\n}\n${config.replace(
        NAMES.join(', '),
        `https://localhost:${own}, https://127.0.0.1:${own}`,
      )}`,
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
    stop: 'SIGKILL',
  },
};

describe.each(Object.entries(PROXIES))('%s, as configured in deploy/proxy', (_, proxy) => {
  const opened = new AsyncDisposableStack();
  const target = {} as Target & { service: Service; port: number };

  beforeAll(async () => {
    const port = await freePort();
    const service = opened.use(
      await startService({
        settings: {
          PHONEBOOTH_SIMULATED_PHONES: isNightly ? '3' : '1',
          PHONEBOOTH_TRUSTED_PROXIES: '127.0.0.1',
          PHONEBOOTH_STREAM_URL: `wss://localhost:${port}`,
          PHONEBOOTH_CONTROL_URL: `wss://127.0.0.1:${port}`,
        },
      }),
    );
    const ca = await readFile(service.caFile, 'utf8');
    await startProxy(opened, proxy, { service, port, ca });
    const baseUrl = `https://localhost:${port}/v1`;
    const description = await Description.fetch(baseUrl, ca);
    Object.assign(target, {
      rejectsNullBytes: proxy.file === 'nginx.conf',
      service,
      port,
      ca,
      api: new Api({ baseUrl, key: service.key, ca, description }),
    });
  });
  afterAll(() => opened.disposeAsync());

  test('passes on the screen and the commands of a session', async () => {
    await using loan = await borrowConnected(target.api);
    const { stream_url, control_url } = loan.session;
    expect(new URL(stream_url).host).toBe(`localhost:${target.port}`);
    await using viewer = await Viewer.open(stream_url, target);
    await viewer.firstFrame();
    await using controller = await Controller.ready(control_url, target);
    expect(await controller.call('session.ping')).toBeNull();
    const unknown = await refusedUpgrade(stream_url.replace(loan.session.session_id, 'ses_none'), target);
    expect(unknown).toMatchObject({ status: 404, body: { code: 40005 } });
  });

  test('passes on events without delay', async () => {
    const received: string[] = [];
    const events = request(`https://localhost:${target.port}/v1/events`, {
      headers: { authorization: `Bearer ${target.api.key}`, accept: 'text/event-stream' },
      ...{ ca: target.ca, agent: false },
    });
    events.on('error', () => {});
    events.on('response', (response) => response.on('data', (chunk) => received.push(String(chunk))));
    events.end();
    // A change before the stream is open is not reported, so there are changes until one is.
    await until('an event of a session', async () => {
      const loan = await borrowConnected(target.api);
      await loan[Symbol.asyncDispose]();
      return received.join('').includes(loan.session.session_id);
    });
    events.destroy();
  });

  test('accepts an upload of several megabytes', async () => {
    const noise = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * index * 31) % 251));
    const body = makeApk(
      { packageName: 'com.example.large', files: { 'assets/noise': noise } },
      { isStored: true },
    );
    expect(body.length).toBeGreaterThan(3_000_000);
    const headers = { 'content-type': 'application/octet-stream' };
    succeeded(await target.api.request('POST', '/apps', { body, headers }));
  });

  test('tells the service the address of the client, whatever the client claims', async () => {
    const body = JSON.stringify({ name: 'made elsewhere' });
    const posted = request({
      ...{ host: '127.0.0.1', port: target.port, path: '/v1/keys', method: 'POST', localAddress: CLIENT },
      headers: {
        authorization: `Bearer ${target.api.key}`,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.9',
      },
      ...{ ca: target.ca, agent: false },
    });
    posted.end(body);
    const [response] = await once(posted, 'response');
    response.resume();
    expect(response.statusCode).toBe(200);
    const { items } = succeeded(await target.api.get('/admin/audit?action=keys.create'));
    expect(items).toMatchObject([{ address: CLIENT }]);
  });

  test('closes /metrics', async () => {
    const answer = await target.api.fetch('/metrics');
    expect(answer.status).toBe(403);
    expect(answer.bytes.toString()).not.toContain('phonebooth_');
  });

  if (!isNightly) return;
  describe('passes on the public interface', () => {
    devicesSuite(target);
    connectSuite(target);
    sessionsSuite(target);
    streamSuite(target);
    controlSuite(target);
    appsSuite(target);
  });
});

/** Starts the program in front of the service, and waits until it passes requests on. */
async function startProxy(
  opened: AsyncDisposableStack,
  { file, programs, adapt, args, stop }: Proxy,
  { service, port, ca }: { service: Service; port: number; ca: string },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-proxy-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const config = await readFile(join(ROOT, 'deploy/proxy', file), 'utf8');
  const path = join(folder, file);
  const adapted = adapt(config, { own: port })
    .replaceAll('127.0.0.1:7100', `127.0.0.1:${service.env.PHONEBOOTH_PORT}`)
    .replaceAll('/etc/phonebooth/proxy.pem', join(service.dataDir, 'tls/server.pem'));
  await writeFile(path, adapted);
  const program = programs.find(existsSync);
  if (program === undefined)
    throw new Error(`${programs[0]} is not installed; run node scripts/test-setup.mjs`);
  const child: ChildProcess = spawn(program, args(path, folder), {
    ...{ cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    // Caddy keeps its state below these folders.
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let output = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  opened.defer(() => end(child, stop));
  const ready = { method: 'GET', url: `https://localhost:${port}/readyz`, headers: {}, ca };
  await until(`${file} to pass requests on`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} exited with ${child.exitCode}: ${output}`);
    const answer = await sendHttp(ready).catch(() => null);
    return answer?.status === 200;
  });
}
