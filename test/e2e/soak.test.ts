import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  isServiceError,
  Phonebooth,
  type PhoneSession,
  type Session,
  SessionEndedError,
} from '../../src/client/index.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { isNightly } from '../nightly.ts';

/**
 * Duration of the run. The nightly run is long enough to show a leak per session. PHONEBOOTH_TEST_SOAK_MINUTES=60
 * runs for an hour.
 */
const MINUTES = Number(process.env.PHONEBOOTH_TEST_SOAK_MINUTES ?? (isNightly ? 5 : 0.2));
/** Shorter runs end before the JIT compilers have settled, so their memory usage shows nothing. */
const SHOWS_LEAKS = MINUTES >= 3;
/**
 * The service is killed after the first part, and then each time this many minutes have passed. It restarts on the
 * same data.
 */
const FIRST_RUN_MINUTES = Math.min(0.5, MINUTES / 3);
const RUN_MINUTES = 20;
const PHONES = 4;
const BORROWERS = 3;
const SAMPLE_MS = 1_000;
/** Number of measurements, of which the fastest counts: other load on the machine only ever slows a response down. */
const LOOKS = 5;
const MIB = 2 ** 20;

interface Sample {
  rss: number;
  handles: number;
  /**
   * Duration of a list of phones, relative to a response that reads nothing (`/livez`, measured at the same time).
   */
  listCost: number;
}

let service: Service;
let phones: Phonebooth;
let isOver = false;
/** Number of kills so far. */
let kills = 0;

beforeAll(async () => {
  const settings = { PHONEBOOTH_SIMULATED_PHONES: String(PHONES), PHONEBOOTH_IDLE_TIMEOUT: '3' };
  service = await startService({ settings });
  phones = new Phonebooth({ url: service.httpOrigin, key: service.key });
  await allFree();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const allFree = () =>
  until(
    'every phone to be available',
    async () => (await phones.api.listDevices({ status: 'available' })).total === PHONES,
  );

test(`${MINUTES} minutes of normal and abusive use leave memory, handles and response times stable`, {
  timeout: (MINUTES + 4) * 60_000,
}, async () => {
  const borrowed: string[] = [];
  const borrowers = Array.from({ length: BORROWERS }, async (_, n) => {
    for (let turn = n; !isOver; turn += 1) borrowed.push(await borrowOnce(turn));
  });
  const runs = runThroughKills();
  runs
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  await Promise.all([...borrowers, runs]);

  await allFree();
  const sessions = await allSessions();
  expect(sessions.map(({ session_id }) => session_id)).toEqual(expect.arrayContaining(borrowed));
  expect(borrowed.length).toBeGreaterThan(SHOWS_LEAKS ? MINUTES * 6 : 0);
  await expectConsistentUsage(sessions);
  expect(service.output()).not.toMatch(/"level":(50|60)/);
  const reasons = Object.groupBy(sessions, ({ end_reason }) => String(end_reason));
  const counts = Object.entries(reasons).map(([reason, of]) => `${of!.length} ${reason}`);
  process.stdout.write(`soak: ${sessions.length} sessions: ${counts.join(', ')}\n`);
});

/** Runs the service several times in succession. Each run except the last ends with a kill. */
async function runThroughKills(): Promise<void> {
  let left = MINUTES;
  for (let minutes = FIRST_RUN_MINUTES; left > 0; minutes = RUN_MINUTES) {
    const isLast = left <= minutes || left < RUN_MINUTES;
    const run = isLast && left < MINUTES ? left : minutes;
    left -= run;
    const samples = await takeSamples(run * 60_000);
    if (SHOWS_LEAKS && left < MINUTES - FIRST_RUN_MINUTES) expectFlat(samples);
    if (left <= 0) return;
    kills += 1;
    await service.kill9();
    await service.restart();
  }
}

async function takeSamples(forMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const deadline = performance.now() + forMs;
  for (; performance.now() < deadline; await delay(SAMPLE_MS)) samples.push(await sample());
  return samples;
}

/** Ignores the first third of the samples, in which the JIT compilers settle and caches fill. */
function expectFlat(samples: readonly Sample[]): void {
  const [, middle, last] = [0, 1, 2].map((third) => thirdOf(samples, third)) as [Sample, Sample, Sample];
  const change = `${samples.length} samples: ${JSON.stringify(middle)} became ${JSON.stringify(last)}`;
  process.stdout.write(`soak: ${change}\n`);
  expect(last.rss, change).toBeLessThan(middle.rss * 1.15 + 24 * MIB);
  expect(last.handles, change).toBeLessThan(middle.handles + 8);
  expect(last.listCost, change).toBeLessThan(middle.listCost * 2);
}

/** Asserts the invariants on the ended sessions. */
async function expectConsistentUsage(sessions: readonly Session[]): Promise<void> {
  const { minutes, sessions: live } = await phones.api.getUsage();
  expect({ reserved: minutes.reserved, live: live.live }).toEqual({ reserved: 0, live: 0 });
  const charged = sessions.reduce((sum, session) => sum + (session.minutes_charged ?? 0), 0);
  expect(minutes.used).toBe(charged);
  const time = (text: string | null | undefined) => Date.parse(text ?? '');
  for (const { session_id, ended_at, expires_at } of sessions) {
    expect(time(ended_at), session_id).toBeLessThanOrEqual(time(expires_at) + 5_000);
  }
  for (const ofOne of Object.values(Object.groupBy(sessions, ({ device_id }) => device_id))) {
    const inOrder = [...ofOne!].sort((a, b) => time(a.created_at) - time(b.created_at));
    for (const [n, session] of inOrder.slice(1).entries()) {
      expect(time(session.created_at), session.session_id).toBeGreaterThanOrEqual(time(inOrder[n]!.ended_at));
    }
  }
}

async function allSessions(): Promise<Session[]> {
  const all: Session[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await phones.api.listSessions({ page, page_size: 100 });
    all.push(...items);
    if (all.length >= total || items.length === 0) return all;
  }
}

/** Borrows a phone, uses it and leaves it in one of several ways. Returns the session's id. */
async function borrowOnce(turn: number): Promise<string> {
  // Read before the response arrives, because the service may be killed while the response is in transit.
  const killsBefore = kills;
  const session = await throughKills(() => phones.borrow({ duration: 5, wait: 60 }));
  const others: WebSocket[] = [];
  try {
    await session.ready;
    if (turn % 3 === 0) others.push(await openSlowViewer(session));
    const frames = watchFor(session, 40);
    await session.swipe({ x: 0.5, y: 0.8 }, { x: 0.5, y: 0.2 });
    await session.tap(Math.random(), Math.random());
    if (turn % 2 === 0) await watchBriefly(session);
    await session.key('HOME');
    await session.screenshot();
    await frames;
    if (turn % 4 === 0) await takeOver(session);
  } catch (error) {
    // A session may end while its client uses it, and a kill aborts all calls.
    if (!(error instanceof SessionEndedError) && kills === killsBefore) throw error;
  }
  for (const socket of others) socket.terminate();
  session.detach();
  // Some clients leave without ending their session, which then ends by idle timeout.
  if (turn % 5 !== 0) await throughKills(() => phones.api.disconnect(session.id));
  return session.id;
}

const isUnavailable = (error: unknown) =>
  isServiceError(error, 'unreachable') || isServiceError(error, 'unavailable');

async function throughKills<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error;
    }
  }
}

/** Another client takes over control, and this client is notified. */
async function takeOver(session: PhoneSession): Promise<void> {
  const taker = await phones.attach(session.id);
  try {
    await taker.tap(0.5, 0.5);
  } finally {
    // A kill aborts the tap. A client that stayed would reconnect, and its session would never be idle.
    taker.detach();
  }
}

/** Opens and drops several viewers. */
async function watchBriefly(session: PhoneSession): Promise<void> {
  for (let time = 0; time < 4; time += 1) {
    const socket = await openSlowViewer(session);
    socket.terminate();
  }
}

/** Reads this many packets, or those that arrive within two seconds, because a still screen sends few. */
async function watchFor(session: PhoneSession, packets: number): Promise<void> {
  let count = 0;
  for await (const _ of session.frames({ signal: AbortSignal.timeout(2_000) })) {
    count += 1;
    if (count === packets) return;
  }
}

/** Opens a viewer that reads nothing. The caller drops it without closing it. */
async function openSlowViewer(session: PhoneSession): Promise<WebSocket> {
  const socket = new WebSocket(session.streamUrl, 'scrcpy.v4');
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('open', resolve).once('close', resolve));
  socket.pause();
  return socket;
}

async function sample(): Promise<Sample> {
  const [base, list]: [number[], number[]] = [[], []];
  for (let n = 0; n < LOOKS; n += 1) {
    base.push(await timed(async () => (await fetch(`${service.httpOrigin}/livez`)).text()));
    list.push(await timed(() => phones.api.listDevices()));
  }
  const status = await readFile(`/proc/${service.pid()}/status`, 'utf8');
  const handles = (await readdir(`/proc/${service.pid()}/fd`)).length;
  return {
    rss: Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024,
    handles,
    listCost: Math.min(...list) / Math.min(...base),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function thirdOf(samples: readonly Sample[], third: number): Sample {
  const size = Math.floor(samples.length / 3);
  const part = samples.slice(third * size, (third + 1) * size);
  const median = (of: (one: Sample) => number) =>
    part.map(of).sort((a, b) => a - b)[Math.floor(part.length / 2)]!;
  return {
    rss: median(({ rss }) => rss),
    handles: median(({ handles }) => handles),
    listCost: median(({ listCost }) => listCost),
  };
}
