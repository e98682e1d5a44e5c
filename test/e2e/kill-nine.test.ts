import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type Page, type Session, succeeded, type Usage } from '../black-box/kit/api.ts';
import { freeDevice, listAll } from '../black-box/kit/borrow.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { randomFrom } from './random.ts';

const KILLS = 30;
const CLIENTS = 4;
const SEED = Math.floor(Math.random() * 2 ** 32);

/** What the service has acknowledged, over all its lives. */
interface Acknowledged {
  connects: Map<string, { deviceId: string; minutes: number }>;
  disconnects: Set<string>;
}

let service: Service;
let api: Api;

beforeAll(async () => {
  // Two phones: each costs two seconds of processor time at every start.
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '2' } });
  // Once in good order: a process that is killed leaves nothing in the compile cache.
  await service.restart();
  const description = await Description.fetch(service.baseUrl, undefined);
  api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function allSessions(): Promise<Session[]> {
  const items: Session[] = [];
  for (let page = 1; ; page++) {
    const data = succeeded(await api.get<Page<Session>>(`/sessions?page_size=100&page=${page}`));
    items.push(...data.items);
    if (items.length >= data.total) return items;
  }
}

/** Connects and disconnects until the service is gone; what was in flight then may or may not have happened. */
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
      const id = succeeded(answer).session_id;
      seen.connects.set(id, { deviceId, minutes });
      await delay(random() * 60);
      if (random() < 0.15) continue;
      succeeded(await api.post(`/sessions/${id}/disconnect`));
      seen.disconnects.add(id);
    }
  } catch (error) {
    const isGone = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(
      (error as NodeJS.ErrnoException).code ?? '',
    );
    if (!isGone) throw error;
  }
}

async function verify(seen: Acknowledged): Promise<Session[]> {
  const sessions = await allSessions();
  const byId = new Map(sessions.map((session) => [session.session_id, session]));
  for (const [id, { deviceId, minutes }] of seen.connects) {
    const { device_id, minutes_reserved } = byId.get(id) ?? {};
    expect({ id, device_id, minutes_reserved }).toEqual({
      id,
      device_id: deviceId,
      minutes_reserved: minutes,
    });
  }
  for (const id of seen.disconnects) {
    expect(byId.get(id)).toMatchObject({ session_id: id, status: 'disconnected', end_reason: 'client' });
  }
  const live = sessions.filter(({ status }) => status !== 'disconnected');
  expect(new Set(live.map(({ device_id }) => device_id)).size, 'live sessions of one device').toBe(
    live.length,
  );
  const charged = sessions.reduce((sum, { minutes_charged }) => sum + (minutes_charged ?? 0), 0);
  const reserved = live.reduce((sum, { minutes_reserved }) => sum + minutes_reserved, 0);
  const usage = succeeded(await api.get<Usage>('/usage'));
  expect(usage.minutes).toMatchObject({ used: charged + reserved, reserved });
  expect(usage.sessions.live).toBe(live.length);
  return live;
}

test(`what was acknowledged survives ${KILLS} kills in the middle of a load (seed ${SEED})`, async () => {
  process.stdout.write(`kill -9: seed ${SEED}\n`);
  const random = randomFrom(SEED);
  const seen: Acknowledged = { connects: new Map(), disconnects: new Set() };
  const deviceIds = (await listAll(api)).map(({ id }) => id);
  for (let kill = 0; kill < KILLS; kill++) {
    await freeDevice(api);
    const clients = Array.from({ length: CLIENTS }, () => borrowAndReturn(random, deviceIds, seen));
    const before = seen.connects.size;
    await until('a connect to be acknowledged', () => seen.connects.size > before);
    await delay(random() * 500);
    await service.kill9();
    await Promise.all(clients);
    await service.restart();
    const live = await verify(seen);
    // Some sessions go on over the next kill; each phone comes back in the end.
    for (const { session_id } of live.slice(Math.floor(random() * 2))) {
      succeeded(await api.post(`/sessions/${session_id}/disconnect`));
      seen.disconnects.add(session_id);
    }
  }
  for (const { session_id } of await verify(seen)) {
    succeeded(await api.post(`/sessions/${session_id}/disconnect`));
  }
  await until(
    'every device to be available',
    async () => (await listAll(api, '&status=available')).length === deviceIds.length,
    {
      deadlineMs: 10_000,
    },
  );
  expect((await verify(seen)).length).toBe(0);
  expect(seen.connects.size).toBeGreaterThanOrEqual(KILLS);
  expect(seen.disconnects.size).toBeGreaterThanOrEqual(KILLS / 2);
}, 600_000);
