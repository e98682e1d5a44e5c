import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { Api, type Device, type Page, type Session, succeeded } from '../black-box/kit/api.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import { startFleet } from '../fixtures/fleet.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { isNightly, promised } from '../nightly.ts';
import { apiAt } from './fleet-rig.ts';

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

describe('limits of a service', () => {
  let service: Service;
  let api: Api;
  beforeAll(async () => {
    const settings = { PHONEBOOTH_SIMULATED_PHONES: '1', PHONEBOOTH_MAX_SOCKETS: '2' };
    service = opened.use(await startService({ settings }));
    const description = await Description.fetch(service.baseUrl, undefined);
    api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
  });

  /**
   * Sends data on a new connection. Returns everything that the server sends until the connection closes, and the
   * elapsed time in ms.
   */
  async function exchange(write: (send: (text: string) => void) => unknown) {
    const socket = connect(Number(new URL(service.httpOrigin).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {});
    const startedAt = performance.now();
    await once(socket, 'connect');
    write((part) => socket.write(part));
    await once(socket, 'close', { signal: AbortSignal.timeout(60_000) });
    return { text, ms: performance.now() - startedAt };
  }

  test('closes the connection of a client whose headers trickle in after 10 s, and answers others meanwhile', async () => {
    let timer: NodeJS.Timeout | undefined;
    const slow = exchange((send) => {
      send('GET /v1/devices HTTP/1.1\r\nHost: x\r\n');
      timer = setInterval(() => send('X-Slow: 1\r\n'), 500);
    });
    succeeded(await api.get('/devices'));
    const { text, ms } = await slow;
    clearInterval(timer);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ code: 40000 });
    expect(ms).toBeGreaterThan(9_000);
    expect(ms).toBeLessThan(promised(14_000));
  });

  test('rejects headers that are too large', async () => {
    const { text } = await exchange((send) =>
      send(`GET /v1/devices HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`),
    );
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(text).toContain('the limit is 16 KiB');
  });

  test('limits the sockets of an account and frees a slot when one is closed', async () => {
    const phone = await until('an available phone', async () => {
      return succeeded(await api.get<Page<Device>>('/devices?status=available')).items[0];
    });
    const { session_id, stream_url } = succeeded(
      await api.post<Session>(`/devices/${phone.id}/connect`, { duration: 5 }),
    );
    const address = new URL(stream_url).pathname;
    const open = () => new WebSocket(service.httpOrigin.replace('http', 'ws') + address);
    const watching = [open(), open()];
    await Promise.all(watching.map((socket) => once(socket, 'open')));
    const [, response] = await once(
      open().on('error', () => {}),
      'unexpected-response',
    );
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('10');
    response.destroy();
    watching[0]!.close();
    await once(watching[0]!, 'close');
    await until('another socket to be accepted', async () => {
      const socket = open();
      watching.push(socket);
      return Promise.race([
        once(socket, 'open').then(
          () => true,
          () => false,
        ),
        once(socket, 'unexpected-response').then(() => false),
      ]);
    });
    for (const socket of watching) socket.on('error', () => {}).terminate();
    succeeded(await api.post(`/sessions/${session_id}/disconnect`));
  });
});

test('two api processes enforce one shared limit within the documented tolerance', async () => {
  const perSecond = 10;
  const burst = 100;
  const settings = { PHONEBOOTH_RATE_LIMIT: String(perSecond * 60) };
  const fleet = opened.use(await startFleet({ settings }));
  const [one, two] = await Promise.all([fleet.add('api'), fleet.add('api')]);
  const [here, there] = [await apiAt(one, fleet), await apiAt(two, fleet)];
  let letThrough = 0;
  const isLetThrough = async (api: Api) => {
    const { code } = await api.get('/devices?page_size=1');
    if (code !== 0) expect(code).toBe(40029);
    letThrough += code === 0 ? 1 : 0;
    return code === 0;
  };
  const startedAt = performance.now();
  const rate = () => ((performance.now() - startedAt) / 1000) * perSecond;
  // Several at a time, because a slow machine answers fewer requests per second than the limit allows.
  const burstOf = () => Promise.all(Array.from({ length: 8 }, () => isLetThrough(here)));
  await until('one process to reject a request', async () => (await burstOf()).includes(false), {
    everyMs: 0,
  });
  expect(letThrough).toBeGreaterThanOrEqual(burst);
  // If the processes did not share the limit, the second one would allow a whole burst
  const before = letThrough;
  const refusedAt = performance.now();
  await until('the other process to reject a request', async () => !(await isLetThrough(there)), {
    everyMs: 20,
  });
  const sharedMs = performance.now() - refusedAt;
  expect(letThrough - before).toBeLessThan(burst / 2 + (sharedMs / 1000) * perSecond);
  while (performance.now() - startedAt < 6_000) {
    await Promise.all([isLetThrough(here), isLetThrough(there)]);
    await delay(10);
  }
  expect(letThrough).toBeLessThanOrEqual(Math.ceil(rate()) + 2 * burst);
  // Excess requests are deducted later, so both processes together keep to the rate of one
  expect(letThrough).toBeLessThan(burst + rate() + perSecond * 4);
  // A slow machine cannot send requests fast enough for this.
  if (isNightly) expect(letThrough).toBeGreaterThan(burst + rate() / 2);
});
