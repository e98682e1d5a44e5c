import { expect, test, vi } from 'vitest';
import { InProcessBus } from '../../bus/in-process.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { Turn } from '../../store/queue/phone-queue.ts';
import type { Store } from '../../store/store.ts';
import { silentLog } from '../../util/log.ts';
import { noSteps } from '../../util/steps.ts';
import { noMeter } from '../context.ts';
import { BorrowQueue } from './borrow-queue.ts';

const WAIT = { timeout: 60_000 };
const request = (sessionId: string) => ({
  ...{ sessionId, accountId: 'acc_1', keyId: 'key_1', minutes: 1, appId: null, idempotency: null },
  ...{ record: null, recordText: false },
  filter: { brand: '', osVersion: '', model: '' },
});
const audit = { accountId: 'acc_1', keyId: 'key_1', action: 'sessions.borrow', address: null, targets: [] };

test.each(['fails', 'times out'])(
  'serves waiting requests while the cancellation of a disconnected request %s',
  async (how) => {
    const turns: Turn[] = [];
    const answered = Promise.withResolvers<null>();
    let mayUndo = false;
    const store = {
      borrow: async () => ({ state: 'waiting' as const }),
      nextTurn: async () => turns.shift() ?? null,
      getQueueStandings: async () => new Map(),
      keepWaiting: async () => true,
      validGrants: async (ids: string[]) => ids,
      leaveQueue: async () => {},
      cancelBorrow: vi.fn(async () => {
        if (mayUndo) return null;
        if (how === 'fails') throw new Error('cannot update this row');
        return answered.promise;
      }),
    };
    await using bus = new InProcessBus();
    const context = { store: store as unknown as Store, bus, log: silentLog, meter: noMeter, steps: noSteps };
    await using room = new BorrowQueue(context, { pollMs: 2 });
    const disconnected = new AbortController();
    const lost = room.borrow(request('ses_1'), { audit, waitSeconds: 60, disconnected: disconnected.signal });
    disconnected.abort();
    await expect(lost).rejects.toThrow();
    await vi.waitFor(() => expect(store.cancelBorrow).toHaveBeenCalled(), WAIT);
    const waiting = room.borrow(request('ses_2'), {
      ...{ audit, waitSeconds: 60, disconnected: new AbortController().signal },
    });
    const session = {
      ...{ id: 'ses_2', deviceId: 'd1', hostId: 'h1', endReason: null, recording: null },
    } as SessionRow;
    turns.push({ sessionId: 'ses_2', outcome: { state: 'borrowed', session, replayed: false } });
    expect(await waiting).toBe(session);
    mayUndo = true;
    answered.resolve(null);
  },
);

/** Returns a store that keeps every request waiting and uses the given `cancelBorrow`. */
const waitingStore = (cancelBorrow: (request: { sessionId: string }) => Promise<null>) => ({
  borrow: async () => ({ state: 'waiting' as const }),
  nextTurn: async () => null,
  getQueueStandings: async () => new Map(),
  keepWaiting: async () => true,
  validGrants: async (ids: string[]) => ids,
  leaveQueue: vi.fn(async () => {}),
  cancelBorrow: vi.fn(cancelBorrow),
});

/** Starts a borrow request whose client disconnects while it waits. */
async function abandon(room: BorrowQueue, sessionId: string): Promise<void> {
  const disconnected = new AbortController();
  const lost = room.borrow(request(sessionId), { audit, waitSeconds: 60, disconnected: disconnected.signal });
  disconnected.abort();
  await expect(lost).rejects.toThrow();
}

test('shutdown waits for the cancellation in progress and cancels the requests that were added after it began', async () => {
  const first = Promise.withResolvers<null>();
  const undone: string[] = [];
  const store = waitingStore(async ({ sessionId }) => {
    if (sessionId === 'ses_1') await first.promise;
    undone.push(sessionId);
    return null;
  });
  await using bus = new InProcessBus();
  const context = { store: store as unknown as Store, bus, log: silentLog, meter: noMeter, steps: noSteps };
  const room = new BorrowQueue(context, { pollMs: 2, closeMs: 60_000 });
  await abandon(room, 'ses_1');
  await vi.waitFor(() => expect(store.cancelBorrow).toHaveBeenCalled(), WAIT);
  await abandon(room, 'ses_2');
  const closed = room[Symbol.asyncDispose]();
  first.resolve(null);
  await closed;
  expect(undone).toEqual(['ses_1', 'ses_2']);
  expect(store.leaveQueue).toHaveBeenCalledOnce();
});

test('shutdown leaves the queue although the cancellation in progress is not answered', async () => {
  const store = waitingStore(() => new Promise(() => {}));
  await using bus = new InProcessBus();
  const context = { store: store as unknown as Store, bus, log: silentLog, meter: noMeter, steps: noSteps };
  const room = new BorrowQueue(context, { pollMs: 2, closeMs: 20 });
  await abandon(room, 'ses_1');
  await vi.waitFor(() => expect(store.cancelBorrow).toHaveBeenCalled(), WAIT);
  await room[Symbol.asyncDispose]();
  expect(store.leaveQueue).toHaveBeenCalledOnce();
});

test('cancels other disconnected requests while the cancellation of one fails', async () => {
  const cancelled: string[] = [];
  const store = waitingStore(async ({ sessionId }) => {
    if (sessionId === 'ses_1' && !cancelled.includes('ses_2')) throw new Error('cannot update this row');
    cancelled.push(sessionId);
    return null;
  });
  await using bus = new InProcessBus();
  const context = { store: store as unknown as Store, bus, log: silentLog, meter: noMeter, steps: noSteps };
  await using room = new BorrowQueue(context, { pollMs: 2 });
  for (const sessionId of ['ses_1', 'ses_2']) await abandon(room, sessionId);
  await vi.waitFor(() => expect(cancelled).toEqual(['ses_2', 'ses_1']), WAIT);
});

test('answers a request whose turn ends with an error', async () => {
  const turns: Turn[] = [];
  const store = {
    ...waitingStore(async () => null),
    nextTurn: async () => turns.shift() ?? null,
    getQueueStandings: async () => {
      throw new Error('cannot read this row');
    },
  };
  await using bus = new InProcessBus();
  const context = { store: store as unknown as Store, bus, log: silentLog, meter: noMeter, steps: noSteps };
  await using room = new BorrowQueue(context, { pollMs: 2 });
  const waiting = room.borrow(request('ses_1'), {
    ...{ audit, waitSeconds: 60, disconnected: new AbortController().signal },
  });
  turns.push({ sessionId: 'ses_1', outcome: { state: 'refused', refusal: { why: 'none-free' } } });
  await expect(waiting).rejects.toThrow('cannot read this row');
  await vi.waitFor(() => expect(store.cancelBorrow).toHaveBeenCalled(), WAIT);
});

test('audits the session of a turn that began before its client disconnected', async () => {
  const turn = Promise.withResolvers<void>();
  const audits: unknown[] = [];
  const store = {
    ...waitingStore(() => new Promise(() => {})),
    nextTurn: vi.fn(async (_of: object, auditOf: (sessionId: string) => unknown) => {
      await turn.promise;
      audits.push(auditOf('ses_1'));
      return null;
    }),
  };
  await using bus = new InProcessBus();
  const context = { store: store as unknown as Store, bus, log: silentLog, meter: noMeter, steps: noSteps };
  await using room = new BorrowQueue(context, { pollMs: 2, closeMs: 20 });
  const disconnected = new AbortController();
  const lost = room.borrow(request('ses_1'), { audit, waitSeconds: 60, disconnected: disconnected.signal });
  await vi.waitFor(() => expect(store.nextTurn).toHaveBeenCalled(), WAIT);
  disconnected.abort();
  await expect(lost).rejects.toThrow();
  turn.resolve();
  await vi.waitFor(() => expect(audits).toEqual([audit]), WAIT);
});
