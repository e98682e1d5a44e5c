import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readConfig } from '../../src/server/config.ts';
import { ROLES } from '../../src/server/roles.ts';
import { start } from '../../src/server/start.ts';
import { silentLog } from '../../src/util/log.ts';
import { freePort } from '../fixtures/free-port.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

/** Starts a whole service without phones in this process. */
async function startService(settings: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'phonebooth-limits-'));
  opened.push({ [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true }) });
  const config = readConfig(
    {},
    {
      ...{ PHONEBOOTH_DATA_DIR: dataDir, PHONEBOOTH_ADB: 'off', PHONEBOOTH_SIMULATED_PHONES: '0' },
      ...{ PHONEBOOTH_PORT: String(await freePort()), PHONEBOOTH_TLS_PORT: String(await freePort()) },
      ...settings,
    },
  );
  const running = await start(config, ROLES, silentLog);
  opened.push(running);
  const { port, tlsPort } = running.controlPlane!;
  return { port, tlsPort, running };
}

const UPGRADE = {
  ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  message: string;
  code: number;
  data: { of?: string };
}

function ask(port: number, path: string, headers: Record<string, string>, isTls = false): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = { host: '127.0.0.1', port, path, headers, agent: false, rejectUnauthorized: false };
  (isTls ? requestTls : request)(options, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('end', () =>
      resolve({ status: response.statusCode, headers: response.headers, ...JSON.parse(text) }),
    );
  })
    .on('error', reject)
    .end();
  return promise;
}

test('enforces one limit by address on both ports, for every path and for WebSocket upgrades', async () => {
  const { port, tlsPort } = await startService({ PHONEBOOTH_RATE_LIMIT_ADDRESS: '1' });
  expect((await ask(port, '/v1/nothing', {})).status).toBe(404);
  for (const [path, headers] of [
    ['/v1/devices', {}],
    ['/v1/nothing', {}],
    ['/nothing.js', {}],
    ['/', {}],
    ['/docs/', {}],
    ['/openapi.json', {}],
    ['/metrics', {}],
    ['/mcp', {}],
    ['/stream/guess/none', UPGRADE],
    ['/nothing', UPGRADE],
  ] as const) {
    for (const isTls of [false, true]) {
      const answer = await ask(isTls ? tlsPort : port, path, headers, isTls);
      expect({ ...answer, path, isTls }).toMatchObject({ status: 429, code: 40029, data: { of: 'address' } });
    }
  }
  for (const path of ['/livez', '/readyz']) expect(await ask(port, path, {})).toMatchObject({ code: 0 });
});

test('counts invalid socket tokens and invalid keys against one limit', async () => {
  const { port, tlsPort } = await startService({ PHONEBOOTH_RATE_LIMIT_FAILED_KEYS: '4' });
  expect(await ask(port, '/stream/guess/none', UPGRADE)).toMatchObject({ status: 404, code: 40005 });
  expect(await ask(tlsPort, '/control/guess/none', UPGRADE, true)).toMatchObject({ status: 404 });
  const refused = { status: 429, code: 40029, data: { of: 'failed' } };
  for (const purpose of ['stream', 'control', 'adb'])
    expect(await ask(port, `/${purpose}/guess/none`, UPGRADE)).toMatchObject(refused);
  for (const path of ['/v1/devices', '/mcp'])
    expect(await ask(port, path, { authorization: 'Bearer pb_guess' })).toMatchObject(refused);
});

test('a draining service is not ready, still serves new connections, and closes each after its response', async () => {
  const { port, tlsPort, running } = await startService();
  for (const isTls of [false, true])
    expect((await ask(isTls ? tlsPort : port, '/readyz', {}, isTls)).status).toBe(200);
  running.drain();
  for (const isTls of [false, true]) {
    const at = isTls ? tlsPort : port;
    const probe = await ask(at, '/readyz', {}, isTls);
    expect(probe).toMatchObject({ status: 503, message: 'the service is shutting down' });
    const keepAlive = { connection: 'keep-alive' };
    for (const path of ['/livez', '/openapi.json']) {
      const { status, headers } = await ask(at, path, keepAlive, isTls);
      expect({ status, connection: headers.connection }).toEqual({ status: 200, connection: 'close' });
    }
  }
});
