import { expect, test, vi } from 'vitest';
import type { ReapOptions } from '../store/sessions/session-store.ts';
import { silentLog } from '../util/log.ts';
import { noMeter } from './context.ts';
import { runReaper } from './reaper.ts';

const nothing = { ended: [], lostHosts: [] };

const isGiven = (silence: number | null) => silence !== null;

const until = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 10 });

async function observe(
  options: { hostSilenceMs: number },
  reap: (silence: () => number | null) => Promise<unknown>,
  bus: { isUp: boolean } = { isUp: true },
) {
  const stopping = new AbortController();
  const store = {
    reap: ({ hostSilenceMs }: ReapOptions) => reap(() => hostSilenceMs(performance.now())),
  };
  const running = runReaper(
    { store: store as never, bus: bus as never, log: silentLog, meter: noMeter },
    stopping.signal,
    { intervalMs: 2, ...options },
  );
  return { running, stop: () => stopping.abort() };
}

test('does not expire a host before it has listened for one silence period', async () => {
  const silences: (number | null)[] = [];
  const startedAt = performance.now();
  let firstAt = 0;
  const { running, stop } = await observe({ hostSilenceMs: 60 }, async (ask) => {
    const silence = ask();
    silences.push(silence);
    if (silence !== null) firstAt ||= performance.now();
    return nothing;
  });
  await until(() => expect(silences.at(-1)).toBeGreaterThanOrEqual(60));
  stop();
  await running;
  expect(silences[0]).toBeNull();
  expect(firstAt - startedAt).toBeGreaterThan(60);
});

test('restarts the silence period after its own process was paused', async () => {
  const silences: (number | null)[] = [];
  const { running, stop } = await observe({ hostSilenceMs: 40 }, async (ask) => {
    const silence = ask();
    const isFirst = silence !== null && silences.every((one) => one === null);
    silences.push(silence);
    if (isFirst) {
      const until = performance.now() + 80;
      while (performance.now() < until); // the process is paused
    }
    return nothing;
  });
  await until(() => expect(silences.some(isGiven)).toBe(true));
  const first = silences.findIndex(isGiven);
  await until(() => expect(silences.length).toBeGreaterThan(first + 1));
  stop();
  await running;
  expect(silences[first + 1]).toBeNull();
});

test('continues after a failed store query', async () => {
  let calls = 0;
  const { running, stop } = await observe({ hostSilenceMs: 1000 }, async () => {
    calls += 1;
    if (calls === 1) throw new Error('down');
    return nothing;
  });
  await until(() => expect(calls).toBeGreaterThan(2));
  stop();
  await running;
});

test('restarts the silence period after a long store outage', async () => {
  const silences: (number | null)[] = [];
  let failingSince = 0;
  const { running, stop } = await observe({ hostSilenceMs: 40 }, async (ask) => {
    if (failingSince && performance.now() - failingSince < 80) throw new Error('down');
    const silence = ask();
    if (failingSince) silences.push(silence);
    if (silence !== null) failingSince ||= performance.now();
    return nothing;
  });
  await until(() => expect(silences.some(isGiven)).toBe(true));
  stop();
  await running;
  expect(silences[0]).toBeNull();
});

test('does not expire a host during a bus outage or within one silence period after it', async () => {
  const bus = { isUp: true };
  const silences: (number | null)[] = [];
  const { running, stop } = await observe(
    { hostSilenceMs: 40 },
    async (ask) => {
      const silence = ask();
      silences.push(silence);
      return nothing;
    },
    bus,
  );
  await until(() => expect(silences.some(isGiven)).toBe(true));
  bus.isUp = false;
  const down = silences.length + 1;
  await until(() => expect(silences.length).toBeGreaterThan(down + 30));
  bus.isUp = true;
  const up = silences.length;
  await until(() => expect(silences.slice(up).some(isGiven)).toBe(true));
  stop();
  await running;
  expect(silences.slice(down, up + 1).some(isGiven)).toBe(false);
});
