import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import { until } from '../black-box/kit/wait.ts';
import { freePort } from '../fixtures/free-port.ts';
import { end } from '../fixtures/process.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { sharedPostgres } from '../fixtures/shared-postgres.ts';

const KEY = `pb_${'d'.repeat(40)}`;
const WAITERS = 5;
const DEADLINE = { timeout: 60_000, interval: 50 };
const CLIENTS_PER_BALANCER = 4;
/** HAProxy must notice it in this time, even if the machine stands still for some seconds. */
const DRAIN_MS = 8_000;
/** Between two requests of a client, except when a process begins to drain or closes its connections. */
const PAUSE_MS = 40;
const HAPROXY =
  ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/usr/bin/haproxy'].find(existsSync) ?? 'haproxy';

const opened = new AsyncDisposableStack();
let services: Service[];
let balancers: { http: string; tcp: string; untilUp: () => Promise<unknown> };

/** Starts an HTTP load balancer and a TCP load balancer. Both check `/readyz` three times a second. */
async function startHaproxy(ports: readonly number[]): Promise<typeof balancers> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-haproxy-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const [http, tcp, stats] = [await freePort(), await freePort(), await freePort()];
  const section = (mode: string, port: number) => `
listen ${mode}
  mode ${mode}
  bind 127.0.0.1:${port}
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  default-server check inter 300ms fall 2 rise 1
${ports.map((service, index) => `  server api${index} 127.0.0.1:${service}`).join('\n')}
`;
  const config = `
global
  maxconn 1000
defaults
  timeout connect 5s
  timeout check 10s
  timeout client 150s
  timeout server 150s
  timeout http-keep-alive 60s
  option redispatch
listen stats
  mode http
  bind 127.0.0.1:${stats}
  stats enable
  stats uri /
${section('http', http)}${section('tcp', tcp)}`;
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, config);
  const child = spawn(HAPROXY, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  opened.defer(() => end(child, 'SIGTERM'));
  const ended = once(child, 'exit').then(() => {
    throw new Error(`HAProxy exited: ${complaint}`);
  });
  ended.catch(() => {});
  const allUp = async () => {
    const page = await fetch(`http://127.0.0.1:${stats}/;csv`).catch(() => null);
    return (
      [...((await page?.text()) ?? '').matchAll(/^(?:http|tcp),api\d,.*,UP,/gm)].length === 2 * ports.length
    );
  };
  const untilUp = () => Promise.race([ended, until('HAProxy to see all processes', allUp)]);
  await untilUp();
  return { http: `http://127.0.0.1:${http}`, tcp: `http://127.0.0.1:${tcp}`, untilUp };
}

interface Load {
  sent: number;
  failures: string[];
  isPausing: boolean;
}

/** Sends requests one after another on keep-alive connections, and records the failures. */
async function send(origin: string, signal: AbortSignal, counts: Load): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (!signal.aborted) {
    counts.sent += 1;
    const failure = await new Promise<string | null>((resolve) => {
      const headers = { Authorization: `Bearer ${KEY}` };
      const request = get(`${origin}/v1/devices`, { agent, headers, timeout: 60_000 }, (response) => {
        response.resume();
        response.on('end', () =>
          resolve(response.statusCode === 200 ? null : `status ${response.statusCode}`),
        );
        response.on('error', (error) => resolve(String(error)));
      });
      request.on('timeout', () => request.destroy(new Error('timed out')));
      request.on('error', (error) => resolve(String(error)));
    });
    if (failure) counts.failures.push(`${origin}: ${failure}`);
    await delay(counts.isPausing ? PAUSE_MS : 0);
  }
  agent.destroy();
}

/**
 * Restarts a service. The clients send without pauses when it begins to drain and when it closes its connections, so
 * that it closes some of those that it should not with a request under way.
 */
async function restartUnderLoad(service: Service, counts: Load): Promise<void> {
  const restarted = service.restart();
  counts.isPausing = false;
  await delay(500);
  counts.isPausing = true;
  await delay(DRAIN_MS - 1_000);
  counts.isPausing = false;
  await Promise.race([restarted, delay(1_500)]);
  counts.isPausing = true;
  await restarted;
}

beforeAll(async () => {
  const databaseUrl = await sharedPostgres.createDatabase();
  const start = () =>
    startService({
      databaseUrl,
      settings: {
        PHONEBOOTH_API_KEY: KEY,
        PHONEBOOTH_SIMULATED_PHONES: '1',
        PHONEBOOTH_DRAIN_SECONDS: String(DRAIN_MS / 1_000),
      },
    });
  services = [];
  for (let i = 0; i < 2; i++) services.push(opened.use(await start()));
  balancers = await startHaproxy(services.map(({ env }) => Number(env.PHONEBOOTH_PORT)));
});
afterAll(() => opened.disposeAsync());

test('a rolling restart behind HAProxy and behind a TCP balancer loses no request and no waiting request', async () => {
  const clientAt = (origin: string) => new PhoneboothClient({ baseUrl: `${origin}/v1`, key: KEY });
  const client = clientAt(balancers.http);
  // In maintenance, no phone can be borrowed before the test allows it, even if its host is slow to reconnect.
  const devices = (await client.listDevices()).items;
  const maintain = (maintenance: boolean) =>
    Promise.all(devices.map(({ id }) => client.admin.updateDevice(id, { maintenance })));
  await maintain(true);
  const waiters: Promise<void>[] = [];
  const positions: number[][] = [];
  for (let i = 0; i < WAITERS; i++) {
    const reported: number[] = [];
    positions.push(reported);
    const via = clientAt(i % 2 === 0 ? balancers.http : balancers.tcp);
    const borrowed = via.borrow({ wait: 600, onQueued: ({ position }) => reported.push(position) });
    waiters.push(borrowed.then(async ({ session_id }) => void (await client.disconnect(session_id))));
    await until(`waiter ${i} to be queued`, () => reported.at(-1) === i + 1);
  }
  const stopping = new AbortController();
  const counts: Load = { sent: 0, failures: [], isPausing: true };
  const loads = [balancers.http, balancers.tcp].flatMap((origin) =>
    Array.from({ length: CLIENTS_PER_BALANCER }, () => send(origin, stopping.signal, counts)),
  );
  try {
    for (const service of services) {
      for (const reported of positions) reported.length = 0;
      await restartUnderLoad(service, counts);
      await balancers.untilUp();
      await vi.waitFor(
        () => expect(positions.map((reported) => reported.at(-1))).toEqual([1, 2, 3, 4, 5]),
        DEADLINE,
      );
    }
    await maintain(false);
    await Promise.all(waiters);
  } finally {
    stopping.abort();
    await Promise.all(loads);
  }
  expect(counts.failures).toEqual([]);
  expect(counts.sent).toBeGreaterThan(100);
});
