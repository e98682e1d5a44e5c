import type { Session } from '../black-box/kit/api.ts';
import type { History, Operation, Request } from './history.ts';

// A small valid history, from which the tests build others.

export const MINUTE = 60_000;
/** Hours away from the clients' clock. The checker must never compare times of different clocks. */
const STORE_CLOCK = Date.UTC(2026, 0, 15, 12);
export const isoAt = (ms: number) => new Date(STORE_CLOCK + ms).toISOString();

export function session(id: string, more: Partial<Session> & { from: number; minutes: number }): Session {
  const { from, minutes, ...fields } = more;
  return {
    session_id: id,
    device_id: 'phone-1',
    status: 'connecting',
    stream_url: `wss://localhost/stream/token/${id}`,
    control_url: `wss://127.0.0.1/control/token/${id}`,
    adb_url: `wss://127.0.0.1/adb/token/${id}`,
    expires_at: isoAt(from + minutes * MINUTE),
    created_at: isoAt(from),
    connected_at: null,
    ended_at: null,
    end_reason: null,
    app_id: null,
    app_status: null,
    app_error: null,
    recording: null,
    minutes_reserved: minutes,
    minutes_charged: null,
    ...fields,
  };
}

export const up = (of: Session, at: number): Session => ({
  ...of,
  status: 'connected',
  connected_at: isoAt(at),
});
export const over = (of: Session, at: number, charged: number, end_reason = 'client'): Session => ({
  ...of,
  status: 'disconnected',
  ended_at: isoAt(at),
  end_reason,
  minutes_charged: charged,
});
export const longer = (of: Session, minutes: number): Session => ({
  ...of,
  minutes_reserved: of.minutes_reserved + minutes,
  expires_at: new Date(Date.parse(of.expires_at) + minutes * MINUTE).toISOString(),
});

/** An operation whose response arrived 10 ms after the request. There is no response if `data` is null. */
export function asked(calledAt: number, request: Request, data: unknown, code = 0): Operation {
  const answer = data === null ? null : { at: calledAt + 10, code, data };
  return { account: 'acme', process: 'api-1', request, calledAt, answer };
}

export const connect = (at: number, data: unknown, { key = 'key-1', minutes = 2, code = 0 } = {}) =>
  asked(at, { do: 'connect', deviceId: 'phone-1', minutes, key }, data, code);
export const extend = (at: number, sessionId: string, data: unknown, code = 0) =>
  asked(at, { do: 'extend', sessionId, minutes: 1 }, data, code);
export const about = (what: 'read' | 'disconnect', at: number, sessionId: string, data: unknown) =>
  asked(at, { do: what, sessionId }, data);

export const usage = (used: number, { reserved = 0, live = 0 } = {}) => ({
  account: 'acme',
  month: '2026-01',
  resets_at: '2026-02-01T00:00:00.000Z',
  minutes: { limit: 5, used, reserved, remaining: 5 - used },
  sessions: { limit: 1, live },
});

export const A = session('a', { from: 100, minutes: 2 });
export const A_OVER = over(up(longer(A, 1), 200), 900, 1);
export const B = session('b', { from: 1_100, minutes: 1 });
export const B_OVER = over(up(B, 1_200), 1_100 + MINUTE + 500, 1, 'expired');

/** A valid history with two consecutive sessions: the first is extended and returned, the second expires. */
export function good(): History {
  return {
    operations: [
      connect(100, A),
      connect(120, A),
      connect(130, { reason: 'in_use' }, { key: 'key-2', code: 40010 }),
      about('read', 250, 'a', up(A, 200)),
      extend(300, 'a', longer(up(A, 200), 1)),
      asked(400, { do: 'usage' }, usage(3, { reserved: 3, live: 1 })),
      about('disconnect', 880, 'a', null),
      about('disconnect', 920, 'a', A_OVER),
      extend(940, 'a', { message: 'it has ended' }, 40013),
      connect(1_090, B, { key: 'key-3', minutes: 1 }),
      about('read', 30_000, 'b', up(B, 1_200)),
      about('read', 70_000, 'b', B_OVER),
    ],
    accounts: [
      {
        name: 'acme',
        limits: { minutes: 5, sessions: 1 },
        usage: usage(2),
        sessions: [B_OVER, A_OVER],
      },
    ],
  };
}
