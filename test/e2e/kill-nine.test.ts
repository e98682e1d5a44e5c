import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type Session, succeeded } from '../black-box/kit/api.ts';
import { freeDevice, listAll } from '../black-box/kit/borrow.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import { randomFrom } from '../fixtures/random.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { isNightly, promised } from '../nightly.ts';
import { Acknowledged } from './acknowledged.ts';

const KILLS = isNightly ? 30 : 3;
const CLIENTS = 4;
/** Each phone costs two seconds of CPU time at every start. */
const PHONES = 2;
const SEED = Math.floor(Math.random() * 2 ** 32);

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: String(PHONES) } });
  // Restarts once gracefully, because a killed process writes nothing to the compile cache.
  await service.restart();
  const description = await Description.fetch(service.baseUrl, undefined);
  api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
});
afterAll(() => service?.[Symbol.asyncDispose]());

/**
 * Connects and disconnects until the service is killed. Requests in flight at that moment may or may not have taken
 * effect.
 */
async function borrowAndReturn(random: () => number, deviceIds: string[], seen: Acknowledged): Promise<void> {
  try {
    for (;;) {
      const deviceId = deviceIds[Math.floor(random() * deviceIds.length)]!;
      const minutes = 1 + Math.floor(random() * 9);
      const answer = await api.post<Session>(`/devices/${deviceId}/connect`, { duration: minutes });
      if (answer.code === 40010) {
        await delay(20);
        continue;
      }
      const session = succeeded(answer);
      expect(session).toMatchObject({ device_id: deviceId, minutes_reserved: minutes });
      seen.connected(session);
      await delay(random() * 60);
      if (random() < 0.15) continue;
      await disconnect(session.session_id, seen);
    }
  } catch (error) {
    const isGone = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(
      (error as NodeJS.ErrnoException).code ?? '',
    );
    if (!isGone) throw error;
  }
}

async function disconnect(session_id: string, seen: Acknowledged): Promise<void> {
  const ended = succeeded(await api.post<Session>(`/sessions/${session_id}/disconnect`));
  expect(ended.end_reason).toBe('client');
  seen.disconnected(ended);
}

test(`acknowledged requests survive ${KILLS} kills under load (seed ${SEED})`, async () => {
  process.stdout.write(`kill -9: seed ${SEED}\n`);
  const random = randomFrom(SEED);
  const seen = new Acknowledged();
  const devices = await until('the phones to be available', async () => {
    const all = await listAll(api);
    return all.length === PHONES && all;
  });
  const deviceIds = devices.map(({ id }) => id);
  for (let kill = 0; kill < KILLS; kill++) {
    await freeDevice(api);
    const clients = Array.from({ length: CLIENTS }, () => borrowAndReturn(random, deviceIds, seen));
    const before = seen.connects.size;
    await until('a connect to be acknowledged', () => seen.connects.size > before);
    await delay(random() * 500);
    await service.kill9();
    await Promise.all(clients);
    await service.restart();
    const live = await seen.verify(api);
    // Some sessions stay live across the next kill. Each phone becomes available in the end.
    for (const { session_id } of live.slice(Math.floor(random() * 2))) {
      await disconnect(session_id, seen);
    }
  }
  for (const { session_id } of await seen.verify(api)) {
    await disconnect(session_id, seen);
  }
  await until(
    'every device to be available',
    async () => (await listAll(api, '&status=available')).length === deviceIds.length,
    {
      deadlineMs: promised(10_000),
    },
  );
  expect((await seen.verify(api)).length).toBe(0);
  expect(seen.connects.size).toBeGreaterThanOrEqual(KILLS);
  expect(seen.disconnects.size).toBeGreaterThanOrEqual(isNightly ? KILLS / 2 : 1);
}, 600_000);
