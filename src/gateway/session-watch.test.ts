import { afterEach, expect, test, vi } from 'vitest';
import { InProcessBus } from '../bus/in-process.ts';
import type { SessionRow } from '../store/entities.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { silentLog } from '../util/log.ts';
import { SessionWatch } from './session-watch.ts';

let watch: SessionWatch | undefined;
afterEach(() => watch?.close());

const row = (remainingMs: number, more: Partial<SessionRow> = {}) =>
  ({ id: 's1', status: 'connected', endReason: null, expiresAt: 1_000, remainingMs, ...more }) as SessionRow;

/**
 * Watches a session with 30 ms left. The store returns the result of `rows`, or is unavailable when `rows` throws.
 */
function watching(rows: () => SessionRow[]) {
  const store = { getSessions: async () => rows() };
  watch = new SessionWatch({ store, bus: new InProcessBus(), log: silentLog, pollMs: 60_000 });
  const listener = { onSessionChange: vi.fn(), onSessionEnd: vi.fn(), onSessionUnknown: vi.fn() };
  watch.watch(row(30), listener);
  return listener;
}
const unavailable = () => {
  throw new StoreUnavailableError(new Error('unplugged'));
};

test('continues an expired session whose extension was missed, even if the store answers late', async () => {
  const availableAt = performance.now() + 600;
  const { onSessionChange, onSessionEnd, onSessionUnknown } = watching(() =>
    performance.now() < availableAt ? unavailable() : [row(60_000, { expiresAt: 2_000 })],
  );
  await vi.waitFor(() => expect(onSessionChange).toHaveBeenCalled(), { timeout: 60_000, interval: 5 });
  expect(onSessionEnd).not.toHaveBeenCalled();
  expect(onSessionUnknown).not.toHaveBeenCalled();
});

test('continues an expired session whose extension is committed after its expiry', async () => {
  const committedAt = performance.now() + 600;
  const { onSessionChange, onSessionEnd, onSessionUnknown } = watching(() => [
    performance.now() < committedAt ? row(-1) : row(60_000, { expiresAt: 2_000 }),
  ]);
  await vi.waitFor(() => expect(onSessionChange).toHaveBeenCalled(), { timeout: 60_000, interval: 5 });
  expect(onSessionEnd).not.toHaveBeenCalled();
  expect(onSessionUnknown).not.toHaveBeenCalled();
});

test('ends an expired session with the reason in its row as soon as the store has ended it', async () => {
  const endedAt = performance.now() + 100;
  const { onSessionEnd } = watching(() => [
    performance.now() < endedAt ? row(-1) : row(-100, { status: 'disconnected', endReason: 'client' }),
  ]);
  await vi.waitFor(() => expect(onSessionEnd).toHaveBeenCalledWith('client', undefined), {
    timeout: 60_000,
    interval: 5,
  });
});

test('expires a session that is over by its row', async () => {
  const { onSessionEnd } = watching(() => [row(-1)]);
  await vi.waitFor(() => expect(onSessionEnd).toHaveBeenCalledWith('expired', null), {
    timeout: 60_000,
    interval: 5,
  });
});

test('ends a session during a store outage without reporting it as expired', async () => {
  const { onSessionEnd, onSessionUnknown } = watching(unavailable);
  await vi.waitFor(() => expect(onSessionUnknown).toHaveBeenCalledOnce(), { timeout: 60_000, interval: 5 });
  expect(onSessionEnd).not.toHaveBeenCalled();
});
