import { expect, test, vi } from 'vitest';
import { InProcessBus } from '../../bus/in-process.ts';
import type { Turn } from '../../store/queue/phone-queue.ts';
import type { SessionRow, Store } from '../../store/store.ts';
import { silentLog } from '../../util/log.ts';
import { untimed } from '../../util/steps.ts';
import { noMeter } from '../context.ts';
import { WaitingRoom } from './waiting-room.ts';

const loan = (sessionId: string) => ({
  ...{ sessionId, accountId: 'acc_1', keyId: 'key_1', minutes: 1, appId: null, idempotency: null },
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
      queueStandings: async () => new Map(),
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
    const parts = { store: store as unknown as Store, bus, log: silentLog, meter: noMeter, steps: untimed };
    await using room = new WaitingRoom(parts, { pollMs: 2 });
    const gone = new AbortController();
    const lost = room.borrow(loan('ses_1'), { audit, waitSeconds: 60, gone: gone.signal });
    gone.abort();
    await expect(lost).rejects.toThrow();
    await vi.waitFor(() => expect(store.cancelBorrow).toHaveBeenCalled());
    const waiting = room.borrow(loan('ses_2'), {
      ...{ audit, waitSeconds: 60, gone: new AbortController().signal },
    });
    const session = { id: 'ses_2', deviceId: 'd1', hostId: 'h1', endReason: null } as SessionRow;
    turns.push({ sessionId: 'ses_2', outcome: { state: 'lent', session, replayed: false } });
    expect(await waiting).toBe(session);
    mayUndo = true;
    answered.resolve(null);
  },
);
