import { expect, test, vi } from 'vitest';
import { InProcessBus } from '../bus/in-process.ts';
import { silentLog } from '../util/log.ts';
import { runReaper } from './reaper.ts';

const nothing = { ended: [], lostHosts: [] };

async function observe(
  options: { hostSilenceMs: number },
  reap: (silence: number | null) => Promise<unknown>,
) {
  await using bus = new InProcessBus();
  const stopping = new AbortController();
  const store = { reap: ({ hostSilenceMs }: { hostSilenceMs: number | null }) => reap(hostSilenceMs) };
  const running = runReaper({ store: store as never, bus, log: silentLog }, stopping.signal, {
    intervalMs: 2,
    ...options,
  });
  return { running, stop: () => stopping.abort() };
}

test('gives no host up before it has listened for one silence period', async () => {
  const silences: (number | null)[] = [];
  const startedAt = performance.now();
  let firstAt = 0;
  const { running, stop } = await observe({ hostSilenceMs: 60 }, async (silence) => {
    silences.push(silence);
    if (silence !== null) firstAt ||= performance.now();
    return nothing;
  });
  await vi.waitFor(() => expect(silences).toContain(60), { timeout: 2000 });
  stop();
  await running;
  expect(silences[0]).toBeNull();
  expect(firstAt - startedAt).toBeGreaterThan(60);
});

test('listens anew after it was away itself', async () => {
  const silences: (number | null)[] = [];
  const { running, stop } = await observe({ hostSilenceMs: 40 }, async (silence) => {
    silences.push(silence);
    if (silence !== null && silences.length < 1000) {
      const until = performance.now() + 80;
      while (performance.now() < until); // the process is paused
    }
    return nothing;
  });
  await vi.waitFor(() => expect(silences).toContain(40), { timeout: 2000 });
  const first = silences.indexOf(40);
  await vi.waitFor(() => expect(silences.length).toBeGreaterThan(first + 1), { timeout: 2000 });
  stop();
  await running;
  expect(silences[first + 1]).toBeNull();
});

test('goes on after the store was out of reach', async () => {
  let calls = 0;
  const { running, stop } = await observe({ hostSilenceMs: 1000 }, async () => {
    calls += 1;
    if (calls === 1) throw new Error('down');
    return nothing;
  });
  await vi.waitFor(() => expect(calls).toBeGreaterThan(2), { timeout: 2000 });
  stop();
  await running;
});
