import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promised } from '../../nightly.ts';
import { type Device, type Page, type Session, succeeded } from '../kit/api.ts';
import { freeDevice } from '../kit/borrow.ts';
import { Controller } from '../kit/controller.ts';
import type { Target } from '../kit/target.ts';
import { Viewer } from '../kit/viewer.ts';
import { until, within } from '../kit/wait.ts';

/** A session of the shortest length, with both of its sockets open, that runs while the other tests run. */
export interface Expiry {
  session: Session;
  /** Times before the connect was sent and after its response arrived, by this process's monotonic clock, in ms. */
  askedAt: number;
  startedAt: number;
  viewer: Viewer;
  controller: Controller;
  /** Time from the end of the session until the device could be borrowed again, in ms. */
  returnedAfter: Promise<number>;
}

const DURATION_MS = 60_000;
/** A session ends at most this long after its expiry, in ms. */
const LATE_MS = 5_000;

/** Starts the session before the tests of this block, so that its minute runs in parallel with them. */
export function watchExpiry(target: Target): Expiry {
  const expiry = {} as Expiry;
  beforeAll(async () => {
    const session = await until('a phone to connect to', async () => {
      const device = await freeDevice(target.api);
      expiry.askedAt = performance.now();
      const answer = await target.api.post<Session>(`/devices/${device.id}/connect`, { duration: 1 });
      return answer.code !== 40010 && succeeded(answer);
    });
    Object.assign(expiry, { session, startedAt: performance.now() });
    expiry.viewer = await Viewer.open(session.stream_url, target);
    expiry.controller = await Controller.open(session.control_url, target);
    expiry.returnedAfter = watchReturn(target, session, expiry.viewer);
    expiry.returnedAfter.catch(() => {}); // The caller that awaits it sees the error
  });
  afterAll(async () => {
    await expiry.viewer?.[Symbol.asyncDispose]();
    await expiry.controller?.[Symbol.asyncDispose]();
  });
  return expiry;
}

/** Tests how that session ended when it expired. */
export function expiryAfter(target: Target, expiry: Expiry): void {
  describe('a session of one minute', () => {
    test('ends in time and closes both sockets with 4001 and a reason', async () => {
      for (const { closed } of [expiry.viewer, expiry.controller]) {
        const { code, reason, at } = await within(
          'the session to expire',
          closed,
          DURATION_MS + promised(LATE_MS) + 10_000,
        );
        expect(code).toBe(4001);
        expect(reason).toMatch(/\S/);
        expect(at - expiry.askedAt).toBeGreaterThan(DURATION_MS - 1_500);
        expect(at - expiry.startedAt).toBeLessThan(DURATION_MS + promised(LATE_MS));
      }
    });

    test('warns its control client ten seconds before the end, and finally sends it the reason', async () => {
      await within('the session to expire', expiry.controller.closed);
      const { notifications } = expiry.controller;
      expect(notifications[0]?.method).toBe('session.ready');
      const warning = notifications.find(
        ({ method, params }) => method === 'session.expiring' && params.seconds === 10,
      );
      expect(warning!.at - expiry.askedAt).toBeGreaterThan(DURATION_MS - 12_000);
      expect(warning!.at - expiry.startedAt).toBeLessThan(DURATION_MS - 10_000 + promised(3_000));
      expect(notifications.at(-1)).toMatchObject({ method: 'session.ended', params: { reason: 'expired' } });
    });

    test('is disconnected with the reason and charged one minute', async () => {
      await within('the session to expire', expiry.viewer.closed);
      const session = await until('the session to be disconnected', async () => {
        const data = succeeded(await target.api.get<Session>(`/sessions/${expiry.session.session_id}`));
        return data.status === 'disconnected' && data;
      });
      expect(session).toMatchObject({ end_reason: 'expired', minutes_reserved: 1, minutes_charged: 1 });
      const late = Date.parse(session.ended_at!) - Date.parse(session.expires_at);
      expect(late).toBeLessThan(promised(LATE_MS));
    });

    test('makes its device available within 10 s', async () => {
      expect(await expiry.returnedAfter).toBeLessThan(promised(10_000));
    });
  });
}

/**
 * Resolves with the time until the device was available again. If another test borrows it between two polls, that
 * counts as well.
 */
async function watchReturn({ api }: Target, session: Session, viewer: Viewer): Promise<number> {
  const { at } = await viewer.closed;
  await until('the device to be available again', async () => {
    const last = succeeded(
      await api.get<Page<Session>>(`/sessions?device_id=${session.device_id}&page_size=1`),
    );
    if (last.items[0]!.session_id !== session.session_id) return true;
    return succeeded(await api.get<Device>(`/devices/${session.device_id}`)).status === 'available';
  });
  return performance.now() - at;
}
