import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { isServiceError, Phonebooth, type PhoneSession, SessionEndedError } from '../../src/client/index.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';

/** An hour by hand (PHONEBOOTH_TEST_SOAK_MINUTES=60); as much as shows a leak of every session among all other tests. */
const MINUTES = Number(process.env.PHONEBOOTH_TEST_SOAK_MINUTES ?? 2);
const PHONES = 4;
const BORROWERS = 3;
const SAMPLE_MS = 1_000;
const MIB = 2 ** 20;

interface Sample {
  rss: number;
  handles: number;
  /** Of a list of phones. */
  latencyMs: number;
}

let service: Service;
let phones: Phonebooth;
let deadline: number;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: String(PHONES) } });
  phones = new Phonebooth({ url: service.httpOrigin, key: service.key });
  await allFree();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const isOver = () => performance.now() > deadline;
const allFree = () =>
  until(
    'every phone to be free',
    async () => (await phones.api.listDevices({ status: 'available' })).total === PHONES,
    {
      deadlineMs: 60_000,
    },
  );

test(`${MINUTES} minutes of use, of rude use too, leave memory, handles and answers as they were`, {
  timeout: (MINUTES + 4) * 60_000,
}, async () => {
  deadline = performance.now() + MINUTES * 60_000;
  const samples: Sample[] = [];
  const sessions: string[] = [];
  const borrowers = Array.from({ length: BORROWERS }, async (_, n) => {
    for (let turn = n; !isOver(); turn += 1) sessions.push(await borrowOnce(turn));
  });
  const sampling = (async () => {
    for (; !isOver(); await delay(SAMPLE_MS)) samples.push(await sample());
  })();
  await Promise.all([...borrowers, sampling]);

  await allFree();
  expect(sessions.length).toBeGreaterThan(MINUTES * 3);
  const { minutes, sessions: live } = await phones.api.getUsage();
  expect({ reserved: minutes.reserved, live: live.live }).toEqual({ reserved: 0, live: 0 });
  let charged = 0;
  for (const id of sessions) charged += (await phones.api.getSession(id)).minutes_charged ?? 0;
  expect(minutes.used).toBe(charged);
  expect(service.output()).not.toMatch(/"level":(50|60)/);

  // The first part of it is for the compilers, and for caches to fill.
  const [, middle, last] = [0, 1, 2].map((third) => thirdOf(samples, third)) as [Sample, Sample, Sample];
  const change = `${samples.length} samples: ${JSON.stringify(middle)} became ${JSON.stringify(last)}`;
  process.stdout.write(`soak: ${sessions.length} sessions; ${change}\n`);
  expect(last.rss, change).toBeLessThan(middle.rss * 1.15 + 24 * MIB);
  expect(last.handles, change).toBeLessThan(middle.handles + 8);
  // Other tests run beside this one and come and go; what grows with each session is far above that.
  expect(last.latencyMs, change).toBeLessThan(middle.latencyMs * 10 + 50);
});

/** Borrows a phone and uses it, in one of several ways to use and to leave it. Answers the session's id. */
async function borrowOnce(turn: number): Promise<string> {
  const session = await phones.borrow({ duration: 5, wait: 60 });
  try {
    await session.ready;
    const slow = turn % 3 === 0 ? await openSlowViewer(session) : null;
    const frames = watchFor(session, 40);
    await session.swipe({ x: 0.5, y: 0.8 }, { x: 0.5, y: 0.2 });
    await session.tap(Math.random(), Math.random());
    await session.key('HOME');
    await session.screenshot();
    await frames;
    slow?.terminate();
    // Another client takes control over, and this one finds out.
    const taker = turn % 4 === 0 ? await phones.attach(session.id) : null;
    await taker?.tap(0.5, 0.5);
    taker?.detach();
  } catch (error) {
    if (!(error instanceof SessionEndedError)) throw error;
  }
  await phones.api.disconnect(session.id).catch((error: unknown) => {
    if (!isServiceError(error, 'unavailable')) throw error;
  });
  session.detach();
  return session.id;
}

/** So many packets, or all that come in two seconds: a still screen sends few. */
async function watchFor(session: PhoneSession, packets: number): Promise<void> {
  let count = 0;
  for await (const _ of session.frames({ signal: AbortSignal.timeout(2_000) })) {
    count += 1;
    if (count === packets) return;
  }
}

/** Takes in nothing, and goes without a word. */
async function openSlowViewer(session: PhoneSession): Promise<WebSocket> {
  const socket = new WebSocket(session.streamUrl, 'scrcpy.v4');
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('open', resolve).once('close', resolve));
  socket.pause();
  return socket;
}

async function sample(): Promise<Sample> {
  const asked = performance.now();
  await phones.api.listDevices();
  const latencyMs = performance.now() - asked;
  const status = await readFile(`/proc/${service.pid()}/status`, 'utf8');
  const handles = (await readdir(`/proc/${service.pid()}/fd`)).length;
  return { rss: Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024, handles, latencyMs };
}

function thirdOf(samples: readonly Sample[], third: number): Sample {
  const size = Math.floor(samples.length / 3);
  const part = samples.slice(third * size, (third + 1) * size);
  const median = (of: (one: Sample) => number) =>
    part.map(of).sort((a, b) => a - b)[Math.floor(part.length / 2)]!;
  return {
    rss: median(({ rss }) => rss),
    handles: median(({ handles }) => handles),
    latencyMs: median(({ latencyMs }) => latencyMs),
  };
}
